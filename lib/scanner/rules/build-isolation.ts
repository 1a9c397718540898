import { isQuiet, runsWorkspaceCode } from '#lib/analysis/privileges/foreign-code.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { isSingleUse, ownLabels, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { expandedSteps, releasesIn } from '#lib/analysis/publishing/releases.ts';
import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Input, Job, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'signer' | 'input' | 'runner';

/** Signing where the build runs is so common that it is INFO; a machine shared with other jobs is a weakness by itself. */
export const buildIsolation = defineRule({
  id: 'build-isolation',
  meta: {
    title: 'Release build is not isolated',
    why: 'Provenance is all that tells users who built a release. It can be forged if build code runs next to the signing step, if other jobs used the same machine before, or if whoever starts the build can change what it does.',
    attack:
      'A compromised build tool waits for the job to sign and makes it sign other files. The provenance is valid, as it was for the packages of several compromised projects.',
    recommendation:
      'Build in one job, pass on the files, and attest and publish in another job that runs no build code; for the highest SLSA level, use a reusable workflow of another repository, pinned to a commit. Build on GitHub-hosted runners.',
    limits:
      'Caches and foreign artifacts in a release build are covered by cache-poisoning and artifact-poisoning. Whether a self-hosted runner is ephemeral is known only if a label says so. Signing with unknown tools is not seen. Inputs for a ref, a version or a dry run are accepted.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://slsa.dev/spec/v1.2/build-requirements',
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/increase-security-rating',
    ],
    messages: {
      signer: 'The job {{job}} runs build code while holding the identity that {{publish}} signs with.',
      input: 'Through the input {{input}}, whoever starts the workflow can change what the job {{job}} builds.',
      runner: 'The release is built on {{labels}}, a self-hosted runner that other jobs may have tampered with.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            # expect: signer
            release:
              runs-on: ubuntu-latest
              permissions: { id-token: write, attestations: write, contents: write }
              steps:
                - uses: actions/checkout@v5
                - run: make dist
                - uses: actions/attest@v4
                  with: { subject-path: dist/* }
                - run: gh release create v1 dist/*
        `,
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                # expect: input
                flags:
                  type: string
                version:
                  type: string
          jobs:
            # expect: runner
            release:
              runs-on: [self-hosted, linux]
              steps:
                - run: make dist FLAGS="$FLAGS" VERSION="$VERSION"
                  env:
                    FLAGS: \${{ inputs.flags }}
                    VERSION: \${{ inputs.version }}
                - run: npm publish
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: make dist
                - uses: actions/upload-artifact@v4
                  with: { path: dist }
            publish:
              needs: build
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/download-artifact@v5
                - uses: pypa/gh-action-pypi-publish@release/v1
        `,
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                dry-run: { type: boolean }
                tag: { type: string }
                channel: { type: choice, options: [stable, beta] }
          jobs:
            publish:
              runs-on: [self-hosted, ephemeral]
              steps:
                - run: make dist TAG="\${{ inputs.tag }}" CHANNEL="\${{ inputs.channel }}"
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: [self-hosted, linux]
              permissions: { id-token: write }
              steps:
                - run: make test
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const releases = releasesIn(workflow, repository);
  const [first] = releases;
  if (first === undefined) return;
  const jobs = [...new Set(releases.map(({ job }) => job))];
  yield* signer(workflow, repository);
  yield* input(workflow, jobs);
  const own = jobs.find((job) => runnerKind(job) === 'self-hosted' && !isSingleUse(job));
  if (own !== undefined) {
    yield {
      message: 'runner',
      data: { labels: ownLabels(own).join(', ') },
      at: own,
      span: own.idSpan,
      severity: 'LOW',
      attributes: { kind: 'release', requirement: 'isolated' },
    };
  }
}

function* signer(workflow: Workflow, repository: Repository): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    if (tokenPermissions(job).level('id-token') !== 'write' || !job.steps.some(runsBuild)) continue;
    const steps = expandedSteps(job, repository);
    const signing = steps.flatMap(publishesIn).find(({ kind, name }) => signs(kind, name));
    if (signing === undefined || !buildsBefore(job, steps.indexOf(signing.step))) continue;
    yield {
      message: 'signer',
      data: { job: job.id, publish: signing.name },
      at: job,
      span: job.idSpan,
      attributes: { kind: 'release', requirement: 'unforgeable' },
    };
    return;
  }
}

function signs(kind: string, name: string): boolean {
  return kind === 'attest' || kind === 'sign' || /^(?:npm|pnpm|yarn|pypa|uv|rubygems|changesets)\b/.test(name);
}

function buildsBefore(job: Job, index: number): boolean {
  return job.steps.some((step, position) => position < Math.max(index, 1) && runsBuild(step));
}

const MOVERS: ReadonlySet<string> = new Set(
  'apt apt-get apk brew cosign crane curl find gh git helm install mapfile oras readarray regctl skopeo syft tree twine xargs'.split(
    ' ',
  ),
);

function runsBuild(step: Step): boolean {
  if (!runsWorkspaceCode(step)) return false;
  if (step.run === undefined) return true;
  return commandsOf(step).some((command) =>
    command.program === 'docker'
      ? /^docker (?:build\b|buildx (?:build|bake)|run\b|compose)/.test(command.text)
      : !MOVERS.has(command.program) && !isQuiet(command),
  );
}

const ACCEPTED =
  /dry|debug|ref|tag|branch|version|skip|force|latest|release|commit|sha|revision|confirm|reason|message|publish|upload|push|channel|environment|bump|draft|test/i;

function* input({ triggers }: Workflow, jobs: readonly Job[]): Generator<Report<Message>> {
  const dispatch = triggers.find(({ event }) => event === 'workflow_dispatch');
  const open = (dispatch?.inputs ?? []).filter(({ name, type }) => type === 'string' && !ACCEPTED.test(name));
  if (open.length === 0) return;
  for (const job of jobs) {
    const used = inputUsedIn(job, open);
    if (used === undefined) continue;
    yield {
      message: 'input',
      data: { input: used.name, job: job.id },
      at: job,
      span: used.span,
      anchor: `input ${used.name}`,
      attributes: { kind: 'release', requirement: 'parameters' },
    };
    return;
  }
}

function inputUsedIn(job: Job, inputs: readonly Input[]): Input | undefined {
  const names = new Set(job.steps.flatMap(({ mapping }) => textsBelow(mapping)).flatMap(inputNamesIn));
  return inputs.find(({ name }) => names.has(name.toLowerCase()));
}

function inputNamesIn(text: Text): string[] {
  if (!text.value.includes('inputs')) return [];
  return expressionsIn(text).flatMap(({ node }) =>
    node === undefined
      ? []
      : accessedPaths(node).flatMap((path) => /^(?:github\.event\.)?inputs\.([\w-]+)$/.exec(path)?.[1] ?? []),
  );
}
