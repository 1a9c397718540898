import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Codeowners } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ownsFile } from '#lib/workflow/patterns/codeowners.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'unowned' | 'not-required' | 'broken' | 'none';

const OWNED: Codeowners = { rules: [{ pattern: '/.github/', owners: 1 }], errors: [] };
const EVERYTHING = { repository: SHARED, branch: GUARDED_BRANCH };

export const codeownersGap = defineRule({
  id: 'codeowners-gap',
  meta: {
    title: 'Nobody in particular has to approve changes of workflows',
    why: 'Workflows hold more power than most code: secrets, releases, tokens that write. An owners’ file together with required reviews of owners lets only those approve such a change who know what it does.',
    attack:
      'An attacker with one accomplice, or one careless reviewer of another team, gets a changed workflow approved and takes the secrets of the next run.',
    recommendation:
      'Give `/.github/` an owner in CODEOWNERS, below every more general line, and require reviews from code owners.',
    limits:
      'Workflows and actions of the repository alone are compared with the file, not release scripts. Whether an owner may write is known only as far as the code host reports errors.',
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
        'Reviews of code owners are required, but {{files}} have no owner: any reviewer may approve changes of them.',
      'not-required': 'CODEOWNERS names owners of the workflows, but no rule requires their review for {{branch}}.',
      broken: 'The code host does not honour lines of CODEOWNERS: {{errors}}.',
      none: 'No review of owners is required for {{branch}}, and no CODEOWNERS names owners of the workflows.',
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
      // Without reviews, owners have nothing to say; other rules tell of that.
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH, codeowners: null }) },
      { yaml: BUILD, facts: knownSettings({ repository: OWN, branch: GUARDED_BRANCH, codeowners: null }) },
      { yaml: {}, facts: knownSettings({ ...EVERYTHING, codeowners: null }) },
      // Workflows that hold nothing.
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
    yield { message: 'broken', data: { errors: listed(said) }, at: { setting: 'errors of codeowners' } };
  }
  const unowned = files.filter((path) => !isOwned(path, codeowners));
  const required = live.branch.codeOwnersApprove;
  if (unowned.length === 0 && required) return;
  const isUsed = unowned.length < files.length;
  // Owners are worth their trouble where a workflow has something to lose.
  if (!required && !isUsed && !repository.workflows.some(({ jobs }) => jobs.some((job) => credentialsOf(job).any)))
    return;
  yield {
    message: required ? 'unowned' : isUsed ? 'not-required' : 'none',
    data: { branch: live.branch.name, files: listed(unowned) },
    at,
    // A gap in a wall that people rely on; without a file there is no wall.
    severity: required && codeowners !== null ? 'MEDIUM' : 'LOW',
    attributes: { unowned: unowned.slice(0, 100) },
  };
}

function isOwned(path: string, codeowners: Codeowners | null): boolean {
  const last = codeowners?.rules.findLast(({ pattern }) => ownsFile(pattern, path));
  return last !== undefined && last.owners > 0;
}
