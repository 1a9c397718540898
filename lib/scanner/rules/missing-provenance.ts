import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { type Release, releasesIn, releaseWorkflows, signsSomething } from '#lib/analysis/publishing/releases.ts';
import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text, Variables, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'absent' | 'disabled';

const TAKES_PROVENANCE: ReadonlySet<string> = new Set(['npm', 'PyPI', 'RubyGems.org', 'image', 'release']);

/** LOW in both cases: the weakness opens nothing to an attacker, but a tampered release would leave no evidence. */
export const missingProvenance = defineRule({
  id: 'missing-provenance',
  meta: {
    title: 'Release has no provenance',
    why: 'Provenance is a signed statement that a file was built by this workflow from this commit. Without provenance or a signature, nobody can tell your release from one that an attacker uploaded with a stolen token.',
    attack:
      'An attacker with a registry token publishes a version from their own machine. It looks like every other version, because none of them proves its origin.',
    recommendation:
      'For images and files, add `actions/attest` or enable provenance in the image build; for npm and PyPI, use trusted publishing, which includes provenance. The job needs `id-token: write` and `attestations: write`.',
    limits:
      'Attestations and signatures created in build scripts or in workflows called from other repositories are not detected, and neither are immutable releases, which GitHub attests itself. Registries without provenance (crates.io, Maven, NuGet) are not checked.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l1'],
    since: '0.1.0',
    references: [
      'https://slsa.dev/spec/v1.2/build-requirements',
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/use-artifact-attestations',
      'https://docs.npmjs.com/generating-provenance-statements',
      'https://docs.pypi.org/attestations/',
    ],
    messages: {
      absent: '{{publish}} publishes {{what}} without provenance or a signature.',
      disabled: '{{publish}} disables the provenance that it would attach by default.',
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
              steps:
                - run: make dist
                # expect: absent
                - uses: softprops/action-gh-release@v2
                  with:
                    files: dist/*
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm ci
                # expect: absent
                - run: npm publish
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with:
                    push: true
                    # expect: disabled
                    provenance: false
                    tags: acme/server:latest
        `,
        fixed: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with:
                    push: true
                    # expect: disabled
                    provenance: true
                    tags: acme/server:latest
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    # expect: disabled
                    attestations: false
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
              permissions: { contents: write, id-token: write, attestations: write }
              steps:
                - run: make dist
                - uses: actions/attest@v4
                  with:
                    subject-path: dist/*
                - uses: softprops/action-gh-release@v2
                  with:
                    files: dist/*
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            npm:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - run: npm publish
            python:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: pypa/gh-action-pypi-publish@release/v1
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with: { push: true, tags: 'acme/server:latest' }
            crate:
              runs-on: ubuntu-latest
              steps:
                - run: cargo publish
            notes:
              runs-on: ubuntu-latest
              steps:
                - run: gh release create v1 --title v1 --notes-file notes.md
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with: { push: true, provenance: false, tags: 'acme/server:latest' }
                - run: cosign sign acme/server:latest
        `,
      },
      {
        yaml: {
          '.github/workflows/preview.yml': yaml`
            on: pull_request
            jobs: { preview: { uses: ./.github/workflows/image.yml } }
          `,
          '.github/workflows/image.yml': yaml`
            on: workflow_call
            jobs: { image: { runs-on: ubuntu-latest, steps: [{ run: docker push ghcr.io/acme/preview }] } }
          `,
        },
      },
      {
        yaml: yaml`
          on: [pull_request]
          jobs:
            preview:
              runs-on: ubuntu-latest
              steps:
                - run: docker push ghcr.io/acme/preview
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const releases = releasesIn(workflow, repository).filter(({ registry }) => TAKES_PROVENANCE.has(registry));
  if (releases.length === 0 || isSigned(workflow, repository)) return;
  let absent = false;
  let disabled = false;
  for (const release of releases) {
    const off = switchOf(release);
    if (off !== undefined && !disabled) {
      disabled = true;
      yield {
        message: 'disabled',
        data: { publish: release.name },
        at: release.step,
        span: off.span,
        confidence: 'high',
        fix: off.input === undefined ? undefined : turnOn(off.input),
        attributes: { kind: 'release', registry: release.registry },
      };
    } else if (off === undefined && !absent && !bringsProvenance(release)) {
      absent = true;
      yield {
        message: 'absent',
        data: { publish: release.name, what: nounOf(release) },
        at: release.step,
        span: release.span,
        attributes: { kind: 'release', registry: release.registry },
      };
    }
  }
}

function isSigned(workflow: Workflow, repository: Repository): boolean {
  return releaseWorkflows(workflow, repository).some((related) => signsSomething(related, repository));
}

function nounOf({ registry, kind }: Release): string {
  if (kind === 'image') return 'an image';
  return kind === 'release' ? 'release files' : `a package to ${registry}`;
}

interface Switch {
  readonly span: Span;
  readonly input: Text | undefined;
}

function switchOf({ step, span, registry }: Release): Switch | undefined {
  for (const name of ['provenance', 'attestations']) {
    const input = step.run === undefined ? inputOf(step, name) : undefined;
    if (input !== undefined && (isFalse(input) || /^mode=(?:false|none)$/.test(input.value.trim()))) {
      return { span: input.span, input };
    }
  }
  const command = commandsOf(step).find((each) => each.span.start === span.start);
  const off = command?.args.find(({ value }) =>
    /^--(?:no-provenance|provenance=false|attest=type=provenance,disabled=true)$/.test(value),
  );
  if (off !== undefined) return { span: off.span, input: undefined };
  const variable = registry === 'npm' ? npmProvenance(step) : undefined;
  return variable !== undefined && isFalse(variable) ? { span: variable.span, input: undefined } : undefined;
}

function npmProvenance(step: Step): Text | undefined {
  const blocks: (Variables | undefined)[] = [step.env];
  if (step.parent.kind === 'job') blocks.push(step.parent.env, step.parent.workflow.env);
  return blocks.map((block) => block?.get('NPM_CONFIG_PROVENANCE')?.value).find((value) => value !== undefined);
}

function bringsProvenance({ step, span, job, registry, name }: Release): boolean {
  const identity = tokenPermissions(job).level('id-token') === 'write';
  if (registry === 'npm') return identity;
  if (registry === 'PyPI') return identity && inputOf(step, 'password') === undefined && isPublishAction(step);
  if (registry === 'RubyGems.org') return name.startsWith('rubygems/');
  if (registry !== 'image') return false;
  if (step.run === undefined || buildsTestImage(job.workflow)) return true;
  const command = commandsOf(step).find((each) => each.span.start === span.start);
  return command?.program === 'docker' && command.args.some(({ value }) => BUILDS_OR_JOINS.test(value));
}

/** Joining images keeps the provenance of each one. */
const BUILDS_OR_JOINS = /^(?:build|bake|imagetools)$/;

function buildsTestImage({ triggers }: Workflow): boolean {
  return triggers.some(({ event }) => event === 'pull_request');
}

function isPublishAction(step: Step): boolean {
  return actionOf(step)?.slug === 'pypa/gh-action-pypi-publish';
}

function turnOn(text: Text): Fix | undefined {
  const edit = isFalse(text) ? replaceScalar(text, 'true') : undefined;
  return edit && { safety: 'review', edits: [edit] };
}
