import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Codeowners } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ownsFile } from '#lib/workflow/patterns/codeowners.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'unowned' | 'not-required' | 'broken' | 'none';

const OWNED: Codeowners = { rules: [{ pattern: '/.github/', owners: 1 }], errors: [] };
const EVERYTHING = { repository: SHARED, branch: GUARDED_BRANCH };

export const codeownersGap = defineRule({
  id: 'codeowners-gap',
  meta: {
    title: 'Workflow files have no required code owner',
    why: 'Workflows are more powerful than most code: they hold secrets, releases and write tokens. CODEOWNERS together with required code owner reviews ensures that only people who understand such a change can approve it.',
    attack:
      'An attacker with one accomplice, or one careless reviewer from another team, gets a modified workflow approved, and the next run hands over its secrets.',
    recommendation:
      'Assign an owner to `/.github/` in CODEOWNERS, below every more general line, and require reviews from code owners.',
    limits:
      'Only workflows and actions of the repository are compared with CODEOWNERS, not release scripts. Whether an owner has write access is known only if GitHub reports an error.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l4'],
    needs: ['settings'],
    settings: ['repository', 'branch', 'codeowners'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners',
    ],
    messages: {
      unowned:
        'Code owner reviews are required, but {{files}} have no owner: any reviewer can approve changes to them.',
      'not-required': 'CODEOWNERS assigns owners to the workflows, but no rule requires their review on {{branch}}.',
      broken: 'GitHub ignores invalid lines in CODEOWNERS: {{errors}}.',
      none: 'No code owner review is required on {{branch}}, and CODEOWNERS assigns no owner to the workflows.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({
          ...EVERYTHING,
          codeowners: {
            rules: [
              { pattern: '/.github/', owners: 1 },
              { pattern: '*.yml', owners: 0 },
            ],
            errors: [],
          },
        }),
        settings: ['unowned'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          branch: { ...GUARDED_BRANCH, codeOwnersApprove: false },
          codeowners: OWNED,
        }),
        settings: ['not-required'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          ...EVERYTHING,
          codeowners: { ...OWNED, errors: [{ line: 3, kind: 'Unknown owner' }] },
        }),
        settings: ['broken'],
      },
      {
        yaml: PUBLISH,
        facts: knownSettings({
          repository: SHARED,
          branch: { ...GUARDED_BRANCH, codeOwnersApprove: false },
          codeowners: null,
        }),
        settings: ['none'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ ...EVERYTHING, codeowners: OWNED }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH, codeowners: null }) },
      { yaml: BUILD, facts: knownSettings({ repository: OWN, branch: GUARDED_BRANCH, codeowners: null }) },
      { yaml: {}, facts: knownSettings({ ...EVERYTHING, codeowners: null }) },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          branch: { ...GUARDED_BRANCH, codeOwnersApprove: false },
          codeowners: null,
        }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  const codeowners = known(facts, 'codeowners');
  if (live === undefined || codeowners === undefined || live.branch.approvals === 0) return;
  const files = [...repository.workflows, ...repository.actions].map(({ source }) => source.path);
  if (files.length === 0 || isSoleMaintainer(live.repository)) return;
  const at = { setting: 'codeowners' };
  const errors = codeowners?.errors ?? [];
  if (errors.length > 0) {
    const said = errors.map(({ line, kind }) => `line ${line} (${kind})`);
    yield { message: 'broken', data: { errors: joinList(said) }, at: { setting: 'errors of codeowners' } };
  }
  const unowned = files.filter((path) => !isOwned(path, codeowners));
  const required = live.branch.codeOwnersApprove;
  if (unowned.length === 0 && required) return;
  const isUsed = unowned.length < files.length;
  if (!required && !isUsed && !repository.workflows.some(({ jobs }) => jobs.some((job) => credentialsOf(job).any)))
    return;
  yield {
    message: required ? 'unowned' : isUsed ? 'not-required' : 'none',
    data: { branch: live.branch.name, files: joinList(unowned) },
    at,
    severity: required && codeowners !== null ? 'MEDIUM' : 'LOW',
    attributes: { unowned: unowned.slice(0, 100) },
  };
}

function isOwned(path: string, codeowners: Codeowners | null): boolean {
  const last = codeowners?.rules.findLast(({ pattern }) => ownsFile(pattern, path));
  return last !== undefined && last.owners > 0;
}
