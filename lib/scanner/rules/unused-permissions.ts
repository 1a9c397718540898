import { actionNeeds } from '#lib/analysis/privileges/documented-permissions.ts';
import { gitUse } from '#lib/analysis/privileges/git-use.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Permissions, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textOf } from '#lib/workflow/parse/fields.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { jobNames } from '../shared/job-names.ts';

const USABLE_WITHOUT_TOKEN: ReadonlySet<string> = new Set(['contents', 'id-token']);

const MINOR: ReadonlySet<string> = new Set(['checks', 'discussions', 'issues', 'pull-requests', 'statuses', 'models']);

type Message = 'unused' | 'lacking';

export const unusedPermissions = defineRule({
  id: 'unused-permissions',
  meta: {
    title: 'Job has an unused token permission',
    why: 'The job has write access that none of its steps needs. It has no benefit and widens what a compromised dependency or action of the job can do.',
    attack:
      'An attacker who takes over an action of the job finds the token with an unneeded permission, and uses it to push code, publish a package or log in to the cloud.',
    recommendation:
      'Remove the scope or lower it to `read`. If a step needs a missing one, grant it on that job only, not on the whole workflow.',
    limits:
      'Only jobs whose steps are all understood are checked: known actions, and commands that do not receive the token. Permissions granted to several jobs at once are reported by excessive-permissions.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      unused: 'No step in {{jobs}} uses {{scope}}: write.',
      lacking: '{{action}} needs {{scopes}}, which the token of the job {{job}} does not have.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                # expect: unused
                packages: write
                # expect: unused
                id-token: write # for the cloud
              steps:
                - uses: actions/checkout@v5
                - run: npm ci
        `,
        fixed: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                # expect: unused
                packages: read
                # expect: unused
                id-token: none # for the cloud
              steps:
                - uses: actions/checkout@v5
                - run: npm ci
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: unused
            contents: write
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: go test ./...
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: read
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: lacking
                - uses: softprops/action-gh-release@v2
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                contents: write
                id-token: write
                packages: write
              steps:
                - uses: actions/checkout@v5
                - run: npm run release
                - uses: docker/login-action@v3
                  with: { registry: ghcr.io }
            unknown:
              runs-on: ubuntu-latest
              permissions:
                packages: write
              steps:
                - uses: acme/publish@v1
            scripted:
              runs-on: ubuntu-latest
              permissions:
                deployments: write
              steps:
                - run: ./deploy.sh
                  env:
                    GITHUB_TOKEN: \${{ github.token }}
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: read
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: softprops/action-gh-release@v2
                  with:
                    token: \${{ secrets.RELEASE_TOKEN }}
            scan:
              runs-on: ubuntu-latest
              permissions: { security-events: write }
              steps:
                - uses: github/codeql-action/analyze@v4
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: softprops/action-gh-release@v2
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const inheriting = workflow.jobs.filter(({ permissions }) => permissions === undefined);
  const byScope = new Map<string, [Grant, ...Grant[]]>();
  for (const job of workflow.jobs) {
    const own = job.permissions ?? (inheriting.length === 1 ? workflow.permissions : undefined);
    for (const grant of own === undefined ? [] : unused(own, job, repository)) {
      const known = byScope.get(grant.scope);
      if (known === undefined) byScope.set(grant.scope, [grant]);
      else known.push(grant);
    }
  }
  for (const [scope, grants] of byScope) yield together(scope, grants);
  for (const job of workflow.jobs) yield* lacking(job);
}

interface Grant {
  readonly job: Job;
  readonly scope: string;
  readonly span: Span;
  readonly permissions: Permissions;
}

function* unused(permissions: Permissions, job: Job, repository: Repository): Generator<Grant> {
  const granted = permissions.scopes.filter(({ level }) => level === 'write');
  if (granted.length === 0 || job.steps.length === 0) return;
  const { scopes, unknown } = writeSigns(job, repository);
  if (unknown) return;
  for (const { scope, span } of granted) {
    if (scopes.has(scope)) continue;
    if (USABLE_WITHOUT_TOKEN.has(scope) && job.steps.some((step) => gitUse(step, repository) !== 'no')) continue;
    yield { job, scope, span, permissions };
  }
}

function together(scope: string, grants: readonly [Grant, ...Grant[]]): Report<Message> {
  const [first] = grants;
  const fixes = grants.map(({ permissions }) => lower(scope, permissions));
  const edits = fixes.flatMap((edit) => edit ?? []);
  return {
    message: 'unused',
    data: { jobs: jobNames(grants.map(({ job }) => job.id)), scope },
    at: first.job,
    span: first.span,
    anchor: `${scope}: write`,
    severity: MINOR.has(scope) ? 'INFO' : 'LOW',
    fix: edits.length === grants.length ? { safety: 'review', edits } : undefined,
    attributes: { kind: 'write-token', scope, jobs: grants.map(({ job }) => job.id) },
  };
}

function lower(scope: string, { node }: Permissions): TextEdit | undefined {
  const level = node.shared ? undefined : textOf(node, scope);
  // `id-token` has no `read` level.
  return level && replaceVerbatim(level, 0, level.value.length, scope === 'id-token' ? 'none' : 'read');
}

function* lacking(job: Job): Generator<Report<Message>> {
  const { declared, level } = tokenPermissions(job);
  if (declared === undefined) return;
  for (const step of job.steps) {
    const scopes = requiredBy(step).filter((scope) => level(scope) !== 'write');
    const reference = step.uses?.reference;
    if (scopes.length === 0 || step.uses === undefined || reference?.kind !== 'repository') continue;
    yield {
      message: 'lacking',
      data: {
        action: `${reference.owner}/${reference.repo}`,
        scopes: scopes.map((scope) => `${scope}: write`).join(' and '),
        job: job.id,
      },
      at: step,
      span: step.uses.span,
      severity: 'INFO',
    };
  }
}

function requiredBy(step: Step): readonly string[] {
  const { requires = [], unless = [] } = actionNeeds(step) ?? {};
  if (unless.some((input) => inputOf(step, input) !== undefined)) return [];
  return step.env?.get('GITHUB_TOKEN') === undefined ? requires : [];
}
