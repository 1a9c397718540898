import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { placeOf, publishingJobs, tagTrigger } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { TagSettings } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { matchesRef } from '#lib/workflow/patterns/ref-pattern.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, PUBLISH_TAGS, SHARED } from '../testing/settings-examples.ts';

type Message = 'publishes' | 'action' | 'tags';

const UNPROTECTED: TagSettings = { total: 2, names: ['v1.1.0', 'v1.0.0'], rulesets: [] };
const RULESET: TagSettings['rulesets'][number] = {
  name: 'releases',
  include: ['refs/tags/v*'],
  exclude: [],
  blocks: ['creation', 'update', 'deletion'],
};
/** Tags of a trigger that are tried against the rule sets. */
const MAX_PATTERNS = 50;

const ACTION = yaml`
  name: Greet
  description: Greets
  runs: { using: node24, main: index.js }
`;

export const tagProtectionMissing = defineRule({
  id: 'tag-protection-missing',
  meta: {
    title: 'Whoever may write moves or makes release tags',
    why: 'Tags name releases, and others build from them. Without a tag ruleset everybody with write access points a tag at another commit or pushes a new one, and no review of a branch sees it.',
    attack:
      'With one stolen token the attacker moves the tags that users pin to a malicious commit, as happened to widely used actions in 2025, or pushes a tag that starts the release workflow on a commit of theirs.',
    recommendation:
      'Create a tag ruleset for the release tags that blocks updates and deletion and lets only those create tags who make releases.',
    limits:
      'The newest twenty tags and the patterns of workflows are compared with the rulesets in force; who is exempt from these is not judged. Moving tags such as `v1` of an action need an exempt account.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l2'],
    needs: ['settings'],
    settings: ['repository', 'tags'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets',
      'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    ],
    messages: {
      publishes: '{{job}} publishes when a tag is pushed, and no ruleset limits who pushes {{tags}}.',
      action: 'Others use the actions of this repository by its tags, and no ruleset keeps {{tags}} from being moved.',
      tags: 'No ruleset keeps {{tags}} from being moved or deleted.',
    },
  },
  examples: {
    bad: [
      {
        yaml: PUBLISH_TAGS,
        facts: knownSettings({ repository: SHARED, tags: UNPROTECTED }),
        settings: ['publishes'],
      },
      {
        yaml: { 'action.yml': ACTION },
        facts: knownSettings({ repository: SHARED, tags: UNPROTECTED }),
        settings: ['action'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          tags: { ...UNPROTECTED, rulesets: [{ ...RULESET, include: ['refs/tags/release-*'] }] },
        }),
        settings: ['tags'],
      },
      {
        yaml: PUBLISH_TAGS,
        facts: knownSettings({
          repository: SHARED,
          tags: { total: 0, names: [], rulesets: [{ ...RULESET, blocks: ['update', 'deletion'] }] },
        }),
        settings: ['publishes'],
      },
    ],
    good: [
      {
        yaml: PUBLISH_TAGS,
        facts: knownSettings({ repository: SHARED, tags: { ...UNPROTECTED, rulesets: [RULESET] } }),
      },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, tags: { total: 0, names: [], rulesets: [] } }) },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, tags: UNPROTECTED }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const tags = known(facts, 'tags');
  if (tags === undefined || known(facts, 'repository')?.archived !== false) return;
  const isOpen = (name: string, needed: readonly Block[]): boolean =>
    needed.some((block) => !tags.rulesets.some((ruleset) => blocks(ruleset, block, `refs/tags/${name}`)));
  for (const { job } of publishingJobs(repository)) {
    const trigger = tagTrigger(job);
    if (trigger?.tags === undefined) continue;
    const patterns = trigger.tags.slice(0, MAX_PATTERNS).filter((pattern) => !pattern.startsWith('!'));
    const open = patterns.filter((pattern) => isOpen(sampleOf(pattern), ['creation', 'update']));
    if (open.length === 0) continue;
    yield {
      message: 'publishes',
      data: { job: placeOf(job), tags: listed(open.map((pattern) => `\`${pattern}\``)) },
      at: { setting: 'tags' },
      attributes: { job: placeOf(job), tags: open },
    };
    return;
  }
  const open = tags.names.filter((name) => isOpen(name, ['update', 'deletion']));
  if (open.length === 0) return;
  const isAction = repository.actions.some(({ source }) => /^action\.ya?ml$/.test(source.path));
  yield {
    message: isAction ? 'action' : 'tags',
    data: { tags: listed(open.map((name) => `\`${name}\``)) },
    at: { setting: 'tags' },
    severity: isAction ? 'MEDIUM' : 'LOW',
    attributes: { tags: open },
  };
}

type Block = TagSettings['rulesets'][number]['blocks'][number];

function blocks(ruleset: TagSettings['rulesets'][number], block: Block, ref: string): boolean {
  const names = (pattern: string): boolean => matchesRef(pattern, ref);
  return ruleset.blocks.includes(block) && ruleset.include.some(names) && !ruleset.exclude.some(names);
}

/** A tag that a trigger's pattern names: signs of the pattern stand for themselves or for one digit. */
function sampleOf(pattern: string): string {
  return pattern
    .replace(/\[[^\]]{0,40}\][+?*]?/g, '1')
    .replace(/\*+/g, '1')
    .replace(/[?+]/g, '');
}
