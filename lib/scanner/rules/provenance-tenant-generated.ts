import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'written' | 'signed';

const PREDICATE = /slsa\.dev\/provenance/;
const STATEMENT = /slsa\.dev\/provenance|in-toto\.io\/Statement|"predicateType"/;

export const provenanceTenantGenerated = defineRule({
  id: 'provenance-tenant-generated',
  meta: {
    title: 'Build generates its own provenance',
    why: 'Provenance is only trustworthy if the platform creates it and not the build itself. A statement written by the workflow’s own steps can claim anything, and its signature proves only that the job signed it.',
    attack:
      'Malicious code in the build changes the statement before it is signed, for example to name another commit or workflow. Verification still passes.',
    recommendation:
      'Let `actions/attest`, or a builder that generates the statement itself, create the build provenance, without a predicate of your own.',
    limits:
      'Detects statements written in workflow scripts and predicates passed to common signing tools. Generators in the repository’s own scripts are not detected. A build may write statements of other types, such as an SBOM or test results.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l2'],
    since: '0.1.0',
    references: [
      'https://slsa.dev/spec/v1.2/build-requirements',
      'https://docs.github.com/actions/concepts/security/artifact-attestations',
    ],
    messages: {
      written:
        'This script writes a provenance statement itself; any code that ran before it can control the contents.',
      signed: '{{tool}} signs provenance that the job wrote itself.',
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
              permissions: { id-token: write, attestations: write }
              steps:
                - run: make dist
                # expect: signed
                - uses: actions/attest@v4
                  with:
                    subject-path: dist/*
                    predicate-type: https://slsa.dev/provenance/v1
                    predicate-path: provenance.json
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: written
                    cat > provenance.json <<EOF
                    {"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1"}
                    EOF
                # expect: signed
                - run: cosign attest --yes --type slsaprovenance1 --predicate provenance.json ghcr.io/acme/server
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
              permissions: { id-token: write, attestations: write }
              steps:
                - uses: actions/attest@v4
                  with:
                    subject-path: dist/*
                - uses: actions/attest@v4
                  with:
                    subject-path: dist/*
                    predicate-type: https://acme.dev/test-results/v1
                    predicate-path: results.json
                - run: cosign attest --type cyclonedx --predicate bom.json ghcr.io/acme/server
                - run: |
                    # As https://slsa.dev/provenance says:
                    cosign verify-attestation --type slsaprovenance ghcr.io/acme/base
                - run: gh attestation verify dist/tool --predicate-type https://slsa.dev/provenance/v1 --repo acme/tool
        `,
      },
      {
        yaml: yaml`
          on: workflow_call
          jobs:
            sign:
              runs-on: ubuntu-latest
              steps:
                - run: cosign attest --type slsaprovenance --predicate provenance.json ghcr.io/acme/server
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  if (!/provenance/i.test(definition.source.text) || isBuilder(definition)) return;
  for (const step of stepsOf(definition)) {
    const found = signedByAction(step) ?? signedByCommand(step);
    if (found !== undefined) yield { message: 'signed', data: { tool: found.tool }, at: step, span: found.span };
    const written = writtenBy(step);
    if (written !== undefined) yield { message: 'written', at: step, span: written.span };
  }
}

/** A reusable workflow is a builder, isolated from what it builds, and may write provenance. */
function isBuilder(definition: Definition): boolean {
  return definition.kind === 'workflow' && definition.triggers.every(({ event }) => event === 'workflow_call');
}

interface Signing {
  readonly tool: string;
  readonly span: Span;
}

function signedByAction(step: Step): Signing | undefined {
  if (actionOf(step)?.name !== 'actions/attest' || step.uses === undefined) return undefined;
  const own = inputOf(step, 'predicate') ?? inputOf(step, 'predicate-path');
  const isProvenance = PREDICATE.test(inputOf(step, 'predicate-type')?.value ?? '');
  return own !== undefined && isProvenance ? { tool: 'actions/attest', span: step.uses.span } : undefined;
}

function signedByCommand(step: Step): Signing | undefined {
  const command = commandsOf(step).find(({ program, args }) => {
    const words = args.map(({ value }) => value);
    if (program !== 'cosign' || !/^attest(?:-blob)?$/.test(words[0] ?? '')) return false;
    const line = words.join(' ');
    return /--type[= ](?:slsaprovenance|https:\/\/slsa\.dev\/provenance)/.test(line) && /--predicate\b/.test(line);
  });
  return command === undefined ? undefined : { tool: 'cosign', span: command.span };
}

const WRITERS: ReadonlySet<string> = new Set(['cat', 'echo', 'printf', 'jq', 'tee', 'python', 'python3', 'node']);

function writtenBy(step: Step): ShellCommand | undefined {
  if (step.run === undefined || !STATEMENT.test(step.run.value)) return undefined;
  return commandsOf(step).find((command) => {
    const writes = command.redirects.some(
      ({ operator, target }) => operator.startsWith('>') && target?.value !== '/dev/null',
    );
    if (!WRITERS.has(command.program) || (!writes && command.program !== 'tee')) return false;
    const bodies = command.redirects.map(({ body }) => body?.text ?? '');
    const words = command.args.map(({ value }) => value);
    return [...bodies, ...words].some((text) => /"?predicateType"?\s{0,9}:/.test(text) && STATEMENT.test(text));
  });
}
