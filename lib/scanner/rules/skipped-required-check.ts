import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { setKey } from '#lib/workflow/edits/keys.ts';
import { insertStepBefore } from '#lib/workflow/edits/steps.ts';
import { inputOf, isFalse, isTrue, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'skipped' | 'unread' | 'tolerated' | 'untested';

export const skippedRequiredCheck = defineRule({
  id: 'skipped-required-check',
  meta: {
    title: 'Required check can pass without success',
    why: 'A required check that is skipped counts as passed. A job that waits for others is skipped when one of them fails. With `always()` it runs, but passes unless it checks their results. A scanner whose failure is ignored blocks nothing either.',
    attack:
      'A pull request that breaks the tests, or that fails the scan, shows a passing required check and can be merged, with auto-merge even without anyone looking at it.',
    recommendation:
      'Run the aggregating job with `if: always()` and fail it if any `needs.*.result` is `failure` or `cancelled`. Remove `continue-on-error` from gates, or check their outcome in a later step.',
    limits:
      'Which checks are required is a repository setting: jobs are recognized as gates by their names. Required jobs skipped by path filters are not detected for the same reason.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-source-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks',
      'https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context',
    ],
    messages: {
      skipped:
        'The job {{job}} aggregates others, but is skipped if one of them fails, and a skipped check counts as passed.',
      unread: 'The job {{job}} always runs, but does not check the results of the jobs it needs.',
      tolerated: 'The run passes even if {{gate}} finds a problem.',
      untested: '{{publish}} runs even if {{gate}} fails.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: make test }]
            # expect: skipped
            all-green:
              needs: [test]
              runs-on: ubuntu-latest
              steps:
                - run: echo ok
            # expect: unread
            ci-success:
              if: always()
              needs: [test]
              runs-on: ubuntu-latest
              steps:
                - name: Done
                  run: echo ok
        `,
        fixed: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: make test }]
            # expect: skipped
            all-green:
              if: always()
              needs: [test]
              runs-on: ubuntu-latest
              steps:
                - if: contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled')
                  run: exit 1
                - run: echo ok
            # expect: unread
            ci-success:
              if: always()
              needs: [test]
              runs-on: ubuntu-latest
              steps:
                - if: contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled')
                  run: exit 1
                - name: Done
                  run: echo ok
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: make test }]
            # expect: skipped
            test-passed:
              if: \${{ !cancelled() && !failure() }}
              needs: test
              runs-on: ubuntu-latest
              steps: [{ run: echo ok }]
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, push]
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                # expect: tolerated
                - uses: actions/dependency-review-action@v4
                  continue-on-error: true
                # expect: tolerated
                - run: cargo audit
                  continue-on-error: true
            publish:
              if: github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                # expect: untested
                - run: npm test
                  continue-on-error: true
                - run: npm publish
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [pull_request, push]
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - id: review
                  uses: actions/dependency-review-action@v4
                  continue-on-error: true
                - if: steps.review.outcome == 'failure'
                  run: make report && exit 1
                - run: npm test
                  continue-on-error: \${{ matrix.experimental }}
            all-green:
              if: always()
              needs: [test]
              runs-on: ubuntu-latest
              steps:
                - uses: re-actors/alls-green@release/v1
                  with: { jobs: "\${{ toJSON(needs) }}" }
            required:
              if: \${{ always() && contains(needs.*.result, 'failure') }}
              needs: test
              runs-on: ubuntu-latest
              steps: [{ run: exit 1 }]
            gate:
              if: always()
              needs: test
              runs-on: ubuntu-latest
              steps:
                - run: test "$RESULT" = success
                  env: { RESULT: "\${{ needs.test.result }}" }
            notify:
              if: always()
              needs: test
              runs-on: ubuntu-latest
              steps: [{ run: make notify }]
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: make test }]
            all-checks:
              needs: test
              runs-on: ubuntu-latest
              steps: [{ run: echo ok }]
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow): Generator<Report<Message>> {
  const gates = workflow.triggers.some(({ event }) => /^(?:pull_request(?:_target)?|merge_group)$/.test(event));
  for (const job of workflow.jobs) {
    const message = gates ? weaknessOf(job) : undefined;
    if (message !== undefined) {
      yield { message, data: { job: job.id }, at: job, span: job.idSpan, fix: withTest(job, message) };
    }
    for (const step of job.steps) yield* toleratedGate(step, job, gates);
  }
}

const GATE =
  /^(?:all|ci|tests?|checks?|build|pr|merge)?[-_ ]{0,9}(?:alls?[-_ ]green|all[-_ ](?:jobs?|checks?|tests?|required|pass\w{0,20}|done|good|ok)|required(?:[-_ ]\w{1,100})?|gate(?:keeper)?|conclusion|success(?:ful)?|pass(?:ed|es|ing)?|ok|green|status|complete[d]?|finish(?:ed)?|done|results?)(?:[-_ ](?:checks?|jobs?|status|gate|pass\w{0,20}|success\w{0,20}|complete\w{0,20}|ok))?$/i;

const MAX_NAME = 100;

function isGate(job: Job): boolean {
  if (job.needs.length === 0 || job.uses !== undefined) return false;
  return [job.id, job.name?.value.trim() ?? ''].some((name) => name.length <= MAX_NAME && GATE.test(name));
}

const RUNS_ANYWAY = /\b(?:always|failure|cancelled)\s*\(/i;
const WAITS_FOR_SUCCESS = /!\s*failure\s*\(|\bsuccess\s*\(/i;
const READS_NEEDS = /\bneeds\s*[.[]|\bneeds\s*\)/i;

function weaknessOf(job: Job): 'skipped' | 'unread' | undefined {
  if (!isGate(job) || job.steps.some(({ uses }) => uses !== undefined)) return undefined;
  if (job.steps.some((step) => publishesIn(step).length > 0)) return undefined;
  const reads = textsBelow(job.mapping).some(({ value }) => READS_NEEDS.test(value));
  const condition = job.condition?.value ?? '';
  // `!failure()` waits for success, like no condition at all.
  if (job.condition === undefined || WAITS_FOR_SUCCESS.test(condition)) return reads ? undefined : 'skipped';
  return RUNS_ANYWAY.test(condition) && !reads ? 'unread' : undefined;
}

const SCANNERS = [
  'actions/dependency-review-action',
  'anchore/scan-action',
  'aquasecurity/trivy-action',
  'gitleaks/gitleaks-action',
  'google/osv-scanner-action',
  'pypa/gh-action-pip-audit',
  'snyk/actions',
  'trufflesecurity/trufflehog',
  'zizmorcore/zizmor-action',
];

const SCAN_COMMANDS =
  /^(?:(?:npm|pnpm|yarn) (?:npm )?audit|cargo (?:audit|deny)|pip-audit|govulncheck|bandit|gitleaks|osv-scanner|trivy|grype|snyk test|semgrep (?:ci|scan)|zizmor|cosign verify(?:-\w+)?|slsa-verifier|gh attestation verify|gpg --verify|sha\d+sum (?:-c|--check))\b/;

const TEST_COMMANDS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:run )?(?:t|test)|pytest|python3? -m pytest|tox|go test|cargo (?:nextest|test)|make (?:test|check)|mvn (?:test|verify)|gradle test|\.\/gradlew test|dotnet test|bundle exec rspec)(?:\s|$)/;

function* toleratedGate(step: Step, job: Job, gates: boolean): Generator<Report<Message>> {
  if (!isTolerated(step)) return;
  const id = step.id?.value;
  if (id !== undefined && job.workflow.source.text.includes(`steps.${id}.`)) return;
  const report = { at: step, span: step.uses?.span ?? step.runSpan ?? step.span };
  const scanner = scanOf(step);
  if (scanner !== undefined && gates) yield { ...report, message: 'tolerated', data: { gate: scanner } };
  const test = commandMatching(step, TEST_COMMANDS);
  if (test === undefined) return;
  const publish = job.steps.slice(step.index + 1).flatMap(publishesIn)[0];
  if (publish !== undefined) {
    yield { ...report, message: 'untested', data: { gate: test, publish: publish.name } };
  }
}

function isTolerated(step: Step): boolean {
  const value = valueOf(step.mapping, 'continue-on-error');
  return value?.kind === 'scalar' && value.text.trim().toLowerCase() === 'true';
}

function scanOf(step: Step): string | undefined {
  if (step.uses === undefined) return commandMatching(step, SCAN_COMMANDS);
  const scanner = SCANNERS.find((name) => runsAction(step, name));
  const reports =
    (scanner === 'aquasecurity/trivy-action' && /^0?$/.test(inputOf(step, 'exit-code')?.value.trim() ?? '')) ||
    (scanner === 'anchore/scan-action' && isFalse(inputOf(step, 'fail-build'))) ||
    (scanner === 'actions/dependency-review-action' && isTrue(inputOf(step, 'warn-only')));
  return reports ? undefined : scanner;
}

function commandMatching(step: Step, pattern: RegExp): string | undefined {
  for (const { program, args } of commandsOf(step)) {
    const line = [program, ...args.slice(0, 4).map(({ value }) => value)].join(' ');
    const found = line.length > 500 ? undefined : pattern.exec(line)?.[0];
    if (found !== undefined) return found.trim();
  }
  return undefined;
}

const TEST = "contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled')";

function withTest(job: Job, message: 'skipped' | 'unread'): Fix | undefined {
  const [first] = job.steps;
  const step = first && insertStepBefore(first, job, { lines: [`if: ${TEST}`, 'run: exit 1'] });
  if (step === undefined) return undefined;
  if (message === 'skipped') {
    if (job.condition !== undefined) return undefined;
    const condition = setKey(job.mapping, 'if', 'always()', { before: 'needs' });
    return condition && { safety: 'review', edits: [condition, step] };
  }
  return { safety: 'review', edits: [step] };
}
