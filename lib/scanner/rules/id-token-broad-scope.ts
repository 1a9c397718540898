import { runsForeignCode } from '#lib/analysis/privileges/foreign-code.ts';
import { oidcRight, type TokenRight } from '#lib/analysis/privileges/oidc.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import { acceptsIdentity } from '#lib/analysis/publishing/identity-use.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { executionsInside } from '#lib/analysis/workspace/workspace-execution.ts';
import { mayInsert, removeKey } from '#lib/workflow/edits/keys.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'beside' | 'unused';

export const idTokenBroadScope = defineRule({
  id: 'id-token-broad-scope',
  meta: {
    title: 'Build steps share a job with OIDC token access',
    why: '`id-token: write` applies to the whole job, not only to the step that publishes or signs. Every dependency and build script in the job can request a token too, and the registry or signing service cannot tell the difference.',
    attack:
      'A compromised dependency runs while the release job builds, requests a token in the project’s name, and publishes or signs its own artifact.',
    recommendation:
      'Build and test in a job without `id-token: write`, pass the result on as an artifact, and publish or sign in a second job that runs nothing else. Remove the permission where nothing uses it.',
    limits:
      'Covers jobs that publish packages or sign. Registries that accept no identity, such as those of editor extensions, and npm with a stored token and no provenance are left out. Cloud logins are ignored, because most deployments run the project’s own tools after them. Scripts of the repository count as reviewed. A permission granted to several jobs is reported by excessive-permissions.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.pypi.org/trusted-publishers/security-model/',
      'https://docs.github.com/actions/concepts/security/openid-connect',
      'https://slsa.dev/spec/v1.2/build-requirements',
    ],
    messages: {
      beside:
        'The job {{job}} can request OIDC tokens for {{use}}, but also runs {{what}} in line {{line}}: the dependencies and scripts this runs can request them too.',
      unused: 'The job {{job}} can request OIDC tokens, but nothing in it does.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: {}
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                # expect: beside
                id-token: write
              steps:
                - uses: actions/checkout@v4
                - run: npm ci
                - run: npm test
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                # expect: unused
                id-token: write
              steps:
                - uses: actions/checkout@v4
                - run: npm ci && npm test
        `,
        fixed: yaml`
          on: push
          permissions: {}
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions:
                contents: read
                # expect: unused
              steps:
                - uses: actions/checkout@v4
                - run: npm ci && npm test
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: npm ci && npm pack
                - uses: actions/upload-artifact@v4
                  with: { name: package, path: '*.tgz' }
            publish:
              needs: build
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/download-artifact@v4
                  with: { name: package }
                - run: npm publish *.tgz
            pypi:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v4
                - uses: pypa/gh-action-pypi-publish@release/v1
            deploy:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v4
                - uses: aws-actions/configure-aws-credentials@v5
                - run: npm ci && npx cdk deploy
            extension:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v7
                - run: npm ci
                - run: vsce publish -p "\${{ secrets.VSCE_PAT }}"
            stored:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v7
                - run: npm ci
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            unknown:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v4
                - run: ./ask-for-token.sh
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const right = job.uses === undefined ? oidcRight(job, repository) : undefined;
    if (right === undefined) continue;
    const report = besideOf(job, right) ?? unusedOf(job, right, repository);
    if (report !== undefined) yield report;
  }
}

const EXCHANGES: ReadonlySet<string> = new Set([
  'nuget/login',
  'rust-lang/crates-io-auth-action',
  'rubygems/configure-rubygems-credentials',
]);

function besideOf(job: Job, right: TokenRight): Report<Message> | undefined {
  const uses = job.steps.flatMap(trustedUses);
  const [use] = uses;
  const spans = job.steps.flatMap((step) => publishesIn(step).map(({ span }) => span));
  const built = use === undefined ? undefined : builtIn(job, spans);
  if (use === undefined || built === undefined) return undefined;
  return {
    message: 'beside',
    data: { job: job.id, use: use.name, what: built.what, line: String(sourceOf(job).position(built.span.start).line) },
    at: job,
    span: spanOf(job, right),
    attributes: { kind: 'oidc', use: use.name },
  };
}

function trustedUses(step: Step): { readonly name: string }[] {
  const slug = actionOf(step)?.slug ?? '';
  if (EXCHANGES.has(slug)) return [{ name: slug }];
  return publishesIn(step).filter((publish) => publish.kind === 'sign' || acceptsIdentity(publish));
}

const OWN_FILE = /^(?:\w+=\S* )*(?:\S*\/\S*|(?:ba)?sh |node |deno run |python3? (?!-m)|uv init\b)/;

function builtIn(job: Job, publishing: readonly Span[]): { readonly what: string; readonly span: Span } | undefined {
  const checkout = job.steps.findIndex((step) => actionOf(step)?.slug === 'actions/checkout');
  if (checkout === -1) return undefined;
  return job.steps
    .slice(checkout)
    .flatMap((step) => (step.run === undefined ? [] : executionsInside(step, '', [])))
    .find(
      ({ runs, what, span }) =>
        runs === 'certain' &&
        !OWN_FILE.test(what) &&
        !publishing.some(({ start, end }) => start <= span.start && span.end <= end),
    );
}

const BUILDS_WITHOUT_IDENTITY =
  /(?:^|\s)(?:build|check|ci|compile|install|lint|tests?|typecheck|vet|fmt|format)(?=\s|$)/m;
const ACTS = /deploy|publish|release|push|upload|sign|attest|login|auth|token|oidc|e2e|integration/i;

function unusedOf(job: Job, right: TokenRight, repository: Repository): Report<Message> | undefined {
  const { scopes, unknown } = writeSigns(job, repository);
  if (right.from !== 'job' || right.permissions.all !== undefined || unknown || scopes.has('id-token'))
    return undefined;
  if (job.steps.length === 0 || !job.steps.every(onlyBuilds)) return undefined;
  return {
    message: 'unused',
    data: { job: job.id },
    at: job,
    span: right.span,
    confidence: 'medium',
    fix: remove(job, right),
    attributes: { kind: 'oidc' },
  };
}

function onlyBuilds(step: Step): boolean {
  if (step.run === undefined) return step.uses?.reference?.kind === 'repository';
  if (ACTS.test(step.run.value) || commandsOf(step).length === 0) return false;
  return !runsForeignCode(step) || BUILDS_WITHOUT_IDENTITY.test(step.run.value);
}

function spanOf(job: Job, right: TokenRight): Span {
  return right.from === 'job' ? right.span : job.idSpan;
}

function remove(job: Job, { permissions: { node } }: TokenRight): Fix | undefined {
  const edit = node.kind === 'mapping' && mayInsert(job.workflow) ? removeKey(node, 'id-token') : undefined;
  return edit && { safety: 'review', edits: [edit] };
}
