import { actionNeeds } from '#lib/analysis/privileges/documented-permissions.ts';
import { gitUse } from '#lib/analysis/privileges/git-use.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import type { Job, Permissions, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'unexplained';

const STRONG: ReadonlySet<string> = new Set([
  'actions',
  'attestations',
  'contents',
  'deployments',
  'id-token',
  'packages',
  'pages',
  'security-events',
]);

export const undocumentedPermissions = defineRule({
  id: 'undocumented-permissions',
  meta: {
    title: 'Write permission without an explanation',
    why: 'The job’s steps do not show what this write permission is for. Reviewers cannot tell whether it is still needed, so it stays even when it is not.',
    attack:
      'A forgotten write permission is harmless until a dependency or action of the job turns malicious; then it decides what that code can change.',
    recommendation:
      'Explain in a comment on or above the scope’s line what needs it. Remove the scope if nothing does.',
    limits:
      'What a step needs is inferred from common actions and commands. A single step with unknown needs counts as its own explanation. Whether a comment is correct is not checked. Read access, access to issues, pull requests and checks, and permissions of a called workflow are not reported.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-10',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      unexplained: 'Neither a step nor a comment explains why {{scopes}} is needed.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            release:
              runs-on: ubuntu-latest
              # expect: unexplained
              permissions:
                contents: read
                deployments: write
              steps:
                - uses: actions/checkout@v5
                - uses: acme/release-action@v1
                - uses: acme/announce-action@v1
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: unexplained
          permissions:
            contents: write # tags the release
            actions: write
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/release-action@v1
                - run: ./tools/after-release
            notify:
              runs-on: ubuntu-latest
              permissions: { packages: write }
              steps:
                - uses: acme/notify-action@v1
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          # The release action pushes the image here.
          permissions:
            packages: write
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/release-action@v1
                - uses: acme/announce-action@v1
            tag:
              runs-on: ubuntu-latest
              permissions:
                # Pushes the tag.
                contents: write
                id-token: write # signs in to the cloud
              steps:
                - uses: acme/tag-action@v1
                - uses: acme/announce-action@v1
            pages:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                deployments: write
              steps:
                - uses: acme/setup@v1
                - uses: acme/build@v1
                - uses: cloudflare/pages-action@v1
            single:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                actions: write
              steps:
                - uses: actions/checkout@v5
                - uses: acme/clean-caches@v1
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
              permissions:
                contents: write
                issues: write
                packages: none
              steps:
                - uses: acme/prepare@v1
                - uses: acme/prepare-more@v1
                - uses: softprops/action-gh-release@v2
            called:
              permissions:
                actions: write
              uses: acme/workflows/.github/workflows/clean.yml@v1
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            unused:
              runs-on: ubuntu-latest
              permissions:
                packages: write
              steps:
                - uses: actions/checkout@v5
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const found: { readonly scope: string; readonly block: Permissions }[] = [];
  const inspect = (permissions: Permissions | undefined, jobs: readonly Job[]): void => {
    if (permissions === undefined || jobs.length === 0) return;
    for (const granted of permissions.scopes) {
      if (granted.level !== 'write' || !STRONG.has(granted.scope) || !isOpen(granted.scope, jobs, repository)) continue;
      if (!isExplained(granted.span, permissions, workflow.source))
        found.push({ scope: granted.scope, block: permissions });
    }
  };
  inspect(
    workflow.permissions,
    workflow.jobs.filter(({ permissions }) => permissions === undefined),
  );
  for (const job of workflow.jobs) inspect(job.permissions, [job]);
  const first = found[0];
  if (first === undefined) return;
  const scopes = [...new Set(found.map(({ scope }) => scope))].sort();
  yield {
    message: 'unexplained',
    data: { scopes: listOf(scopes) },
    at: workflow,
    span: first.block.keySpan,
    anchor: 'permissions',
  };
}

function isOpen(scope: string, jobs: readonly Job[], repository: Repository): boolean {
  if (jobs.some(({ uses }) => uses !== undefined)) return false;
  const signs = jobs.map((job) => writeSigns(job, repository));
  if (signs.every(({ unknown }) => !unknown) || signs.some(({ scopes }) => scopes.has(scope))) return false;
  return jobs.some((job) => hasSeveralCandidates(job, repository));
}

function hasSeveralCandidates(job: Job, repository: Repository): boolean {
  const unknown = job.steps.filter((step) =>
    step.run === undefined ? actionNeeds(step) === undefined : gitUse(step, repository) !== 'no',
  );
  return unknown.length > 1;
}

function isExplained(span: Span, permissions: Permissions, source: SourceFile): boolean {
  if (isCommented(span, source)) return true;
  return permissions.scopes.length === 1 && isCommented(permissions.keySpan, source);
}

function isCommented(span: Span, source: SourceFile): boolean {
  const { line } = source.position(span.start);
  const behind = source.line(source.position(span.end).line);
  return /\s#/.test(behind) || (line > 1 && /^\s*#/.test(source.line(line - 1)));
}

function listOf(scopes: readonly string[]): string {
  const writes = scopes.map((scope) => `${scope}: write`);
  const last = writes.pop() ?? '';
  return writes.length === 0 ? last : `${writes.join(', ')} and ${last}`;
}
