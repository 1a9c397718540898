import { placeOf, publishingJobs, tagTrigger } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { TagSettings } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { matchesRef } from '#lib/workflow/patterns/ref-pattern.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
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
const MAX_PATTERNS = 50;

const ACTION = yaml`
  name: Greet
  description: Greets
  runs: { using: node24, main: index.js }
`;

export const tagProtectionMissing = defineRule({
  id: 'tag-protection-missing',
  meta: {
    title: 'Release tags are not protected',
    why: 'Tags identify releases, and others build from them. Without a tag ruleset, anyone with write access can move a tag to another commit or push a new one, which branch reviews never see.',
    attack:
      'With one stolen token the attacker moves the tags that users rely on to a malicious commit, as happened to popular actions in 2025, or pushes a tag that starts the release workflow on a commit of their own.',
    recommendation:
      'Create a ruleset for release tags that blocks updates and deletion and lets only release managers create tags.',
    limits:
      'Compares the newest twenty tags and the workflows’ tag patterns with the active rulesets; who can bypass them is not checked. An action’s moving tags such as `v1` need an account that can bypass the ruleset.',
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
      publishes: '{{job}} publishes when a tag is pushed, and no ruleset restricts who can push {{tags}}.',
      action: 'Other repositories use this repository’s actions by tag, and no ruleset prevents moving {{tags}}.',
      tags: 'No ruleset prevents moving or deleting {{tags}}.',
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
      data: { job: placeOf(job), tags: joinList(open.map((pattern) => `\`${pattern}\``)) },
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
    data: { tags: joinList(open.map((name) => `\`${name}\``)) },
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

function sampleOf(pattern: string): string {
  return pattern
    .replace(/\[[^\]]{0,40}\][+?*]?/g, '1')
    .replace(/\*+/g, '1')
    .replace(/[?+]/g, '');
}
