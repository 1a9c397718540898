import { type Publish, publishesIn } from '#lib/analysis/publishing/publish.ts';
import { requiredJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'run' | 'release';

export const unverifiedArtifactConsumption = defineRule({
  id: 'unverified-artifact-consumption',
  meta: {
    title: 'Artifact from another run or release is not verified',
    why: 'A job that publishes or deploys what another run built has to trust that run. The name of an artifact or release asset does not show who created it; an attestation or signature does.',
    attack:
      'Someone who can start the other workflow, or replace a release asset, puts a malicious file under the expected name, and the job publishes it in the project’s name.',
    recommendation:
      'Verify before use: `gh attestation verify file --repo owner/name`, `cosign verify-blob` or `slsa-verifier verify-artifact`, with the workflow that should have built it.',
    limits:
      'Artifacts of the same run are not reported: only jobs of that run can write them. Verification is recognized by the command’s name; whether it covers the right file and signer is not checked. Artifacts from fork runs are reported by artifact-poisoning.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l2'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/use-artifact-attestations',
      'https://slsa.dev/spec/v1.2/verifying-artifacts',
    ],
    messages: {
      run: '{{use}} ships what {{how}} downloads from another run in line {{line}}, without verifying who built it.',
      release: '{{use}} ships what {{how}} downloads from a release in line {{line}}, without verifying who built it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                run: { type: number, required: true }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                  with:
                    name: package
                    run-id: \${{ inputs.run }}
                    github-token: \${{ github.token }}
                # expect: run
                - run: npm publish package.tgz
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          jobs:
            pypi:
              runs-on: ubuntu-latest
              steps:
                - run: gh release download "$TAG" --dir dist
                # expect: release
                - uses: pypa/gh-action-pypi-publish@release/v1
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          jobs:
            verified:
              runs-on: ubuntu-latest
              steps:
                - run: gh release download "$TAG" --dir dist
                - run: gh attestation verify dist/app.tgz --repo acme/app
                - run: npm publish dist/app.tgz
            same-run:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                  with: { name: package }
                - run: npm publish package.tgz
            adds-to-it:
              runs-on: ubuntu-latest
              steps:
                - run: gh release download "$TAG" --dir dist
                - run: sha256sum dist/* > SHA256SUMS
                - run: gh release upload "$TAG" SHA256SUMS
            reads:
              runs-on: ubuntu-latest
              steps:
                - run: gh run download "$RUN" --dir results
                - run: cat results/summary.txt
        `,
      },
    ],
  },
  check: { job: check },
});

interface Fetch {
  readonly from: Message;
  readonly how: string;
  readonly step: Step;
  readonly span: Span;
}

const SHIPS: ReadonlySet<Publish['kind']> = new Set(['package', 'image', 'release', 'deploy']);

function* check(job: Job): Generator<Report<Message>> {
  const fetches = job.steps.flatMap(fetchesOf);
  if (fetches.length === 0 || [job, ...requiredJobs(job)].some(verifies)) return;
  const report = firstShipped(job, fetches);
  if (report !== undefined) yield report;
}

/** Reports once per job, since one verification usually covers all artifacts. */
function firstShipped(job: Job, fetches: readonly Fetch[]): Report<Message> | undefined {
  for (const step of job.steps) {
    for (const { kind, name, span } of publishesIn(step)) {
      if (!SHIPS.has(kind)) continue;
      // Adding a file to the release it came from changes nothing.
      const fetched = fetches.find(
        (fetch) => fetch.span.start < span.start && !(fetch.from === 'release' && kind === 'release'),
      );
      if (fetched === undefined) continue;
      return {
        message: fetched.from,
        data: { use: name, how: fetched.how, line: String(job.workflow.source.position(fetched.span.start).line) },
        at: step,
        span,
        attributes: { from: fetched.from, use: kind },
      };
    }
  }
  return undefined;
}

const FETCHERS: Readonly<Record<string, Message>> = {
  'dawidd6/action-download-artifact': 'run',
  'dsaltares/fetch-gh-release-asset': 'release',
  'levonet/action-download-last-artifact': 'run',
  'robinraju/release-downloader': 'release',
};

function fetchesOf(step: Step): Fetch[] {
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const from = takesFromOtherRun(step, action.slug) ? 'run' : FETCHERS[action.slug];
    return from === undefined ? [] : [{ from, how: `${action.owner}/${action.repo}`, step, span: step.uses.span }];
  }
  if (!/\bgh\b[^\n]{0,100}\bdownload\b/.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap(({ program, args, span }): Fetch[] => {
    const [noun, verb] = args.map(({ value }) => value);
    if (program !== 'gh' || verb !== 'download' || (noun !== 'run' && noun !== 'release')) return [];
    return [{ from: noun, how: `gh ${noun} download`, step, span }];
  });
}

function takesFromOtherRun(step: Step, slug: string): boolean {
  if (slug !== 'actions/download-artifact' || (inputOf(step, 'github-token')?.value.trim() ?? '') === '') return false;
  const run = inputOf(step, 'run-id')?.value.trim() ?? '';
  return run !== '' && !/^\$\{\{\s*github\.run_id\s*\}\}$/.test(run);
}

const CHECKS =
  /\bgh attestation verify\b|\bverify(?:-\w+)?\b|\b(?:sha\d+|b2|md5)sum\b[^\n]{0,100}\s(?:-c|--check)\b|\bshasum\b[^\n]{0,100}\s-\w*c\b|\bminisign\b[^\n]{0,100}\s-V/;

function verifies({ steps }: Job): boolean {
  return steps.some(({ run, uses }) => CHECKS.test(run?.value ?? '') || /verif/i.test(uses?.text.value ?? ''));
}
