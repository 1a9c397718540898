import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { actionOf, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';
import { addWritePermission } from '../remedies/add-permission.ts';

type Message = 'missing';

interface Need {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly span: Span;
}

export const attestationPermissionsMissing = defineRule({
  id: 'attestation-permissions-missing',
  meta: {
    title: 'Job lacks the permissions to sign provenance',
    why: 'Provenance is signed with the job’s OIDC identity and stored on GitHub. Without the permissions for both, the step fails: the release stops or, where failures are tolerated, ships without proof of origin.',
    attack:
      'No direct attack. While the step fails, releases go out by hand or without provenance, and users get used to that.',
    recommendation:
      'Grant the job `id-token: write`, `attestations: write` for GitHub artifact attestations, and `packages: write` if the attestation is pushed to GitHub Packages next to an image.',
    limits:
      'Covers well-known actions and commands, and only where the file has a permissions block or the default token certainly lacks the permission. A called workflow without such a block depends on its caller.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['slsa-build-l1'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/use-artifact-attestations',
      'https://slsa.dev/spec/v1.2/build-requirements',
    ],
    messages: {
      missing: '{{what}} needs {{scopes}}, which the job {{job}} does not have.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                contents: write
              steps:
                - run: make dist
                # expect: missing
                - uses: actions/attest-build-provenance@v3
                  with:
                    subject-path: dist/*
        `,
        fixed: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
                attestations: write
                contents: write
              steps:
                - run: make dist
                # expect: missing
                - uses: actions/attest-build-provenance@v3
                  with:
                    subject-path: dist/*
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: missing
                - run: npm publish --provenance
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          permissions: read-all
          jobs:
            image:
              runs-on: ubuntu-latest
              permissions: { id-token: write, attestations: write }
              steps:
                # expect: missing
                - uses: actions/attest@v4
                  with:
                    subject-name: ghcr.io/acme/server
                    subject-digest: \${{ inputs.digest }}
                    push-to-registry: true
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
                attestations: write
              steps:
                - uses: actions/attest-build-provenance@v3
                - run: npm publish --provenance
            all:
              runs-on: ubuntu-latest
              permissions: write-all
              steps:
                - uses: actions/attest@v4
            registry:
              runs-on: ubuntu-latest
              permissions: { id-token: write, attestations: write }
              steps:
                - uses: actions/attest@v4
                  with:
                    subject-name: docker.io/acme/server
                    push-to-registry: true
        `,
      },
      {
        yaml: yaml`
          on: workflow_call
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/attest@v4
                - run: npm publish --provenance=false
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow): Generator<Report<Message>> {
  const isCalled = workflow.triggers.some(({ event }) => event === 'workflow_call');
  for (const job of workflow.jobs) {
    const { declared, level } = tokenPermissions(job);
    if (declared === undefined && isCalled) continue;
    for (const step of job.steps) {
      for (const { name, scopes, span } of needsOf(step)) {
        const missing = scopes.filter((scope) =>
          declared === undefined ? scope === 'id-token' : level(scope) !== 'write',
        );
        if (missing.length === 0) continue;
        yield {
          message: 'missing',
          data: { what: name, scopes: missing.map((scope) => `${scope}: write`).join(' and '), job: job.id },
          at: step,
          span,
          fix: grant(job, missing),
          attributes: { kind: 'release', scopes: missing },
        };
      }
    }
  }
}

const ATTEST: ReadonlySet<string> = new Set([
  'actions/attest',
  'actions/attest-build-provenance',
  'actions/attest-sbom',
]);

function* needsOf(step: Step): Generator<Need> {
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const span = step.uses.span;
    if (ATTEST.has(action.name)) {
      const pushes =
        isTrue(inputOf(step, 'push-to-registry')) &&
        inputOf(step, 'subject-name')?.value.startsWith('ghcr.io/') === true;
      const scopes = ['id-token', 'attestations', ...(pushes ? ['packages'] : [])];
      yield { name: action.name, scopes, span };
    } else if (action.name === 'pypa/gh-action-pypi-publish' && isTrue(inputOf(step, 'attestations'))) {
      yield { name: action.name, scopes: ['id-token'], span };
    }
    return;
  }
  if (step.run === undefined || !step.run.value.includes('--provenance')) return;
  for (const command of commandsOf(step)) {
    const isNpm = command.program === 'npm' && command.args.some(({ value }) => value === 'publish');
    const asks = command.args.some(({ value }) => value === '--provenance' || value === '--provenance=true');
    if (isNpm && asks) yield { name: 'npm publish --provenance', scopes: ['id-token'], span: command.span };
  }
}

function grant(job: Job, scopes: readonly string[]): Fix | undefined {
  const edits = addWritePermission(job, scopes);
  return edits && { safety: 'review', edits };
}
