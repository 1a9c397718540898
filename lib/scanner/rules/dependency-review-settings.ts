import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { inputOf, isFalse, isTrue, runsAction } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step, stepsOf, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textOf } from '#lib/workflow/parse/fields.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'weakened' | 'permissive' | 'absent';

const MANY_EXCEPTIONS = 5;

const REVIEWED: ReadonlySet<string> = new Set(
  'bun bundler cargo composer gomod gradle maven mix npm nuget pip pub swift uv'.split(' '),
);

export const dependencyReviewSettings = defineRule({
  id: 'dependency-review-settings',
  meta: {
    title: 'Dependency review is missing or not enforced',
    why: 'Dependency review blocks pull requests that add a package with a known vulnerability or known malware. A review that only warns, or whose failure is ignored, lets them through.',
    attack:
      'A pull request adds a package, or updates one to a version, that is known to be malicious. The review mentions it in its log, and the pull request is merged.',
    recommendation:
      'Run `actions/dependency-review-action` on every pull request with its defaults, so that vulnerabilities of any severity fail the job, and do not ignore that failure.',
    limits:
      'Settings in a configuration file or in another repository are not read, nor organization rules that require the review. Whether the review is required for a merge is a branch setting.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/concepts/supply-chain-security/about-dependency-review',
      'https://github.com/actions/dependency-review-action#configuration-options',
    ],
    messages: {
      weakened: 'The dependency review does not block vulnerable dependencies: {{how}}.',
      permissive: 'The dependency review ignores many vulnerabilities: {{how}}.',
      absent:
        'Dependabot updates {{ecosystems}} packages, but no workflow reviews the dependencies that pull requests add.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: actions/dependency-review-action@v4
                  with:
                    # expect: weakened
                    warn-only: true
        `,
        fixed: yaml`
          on: pull_request
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: actions/dependency-review-action@v4
                  with:
                    # expect: weakened
                    warn-only: false
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                # expect: weakened
                - uses: actions/dependency-review-action@v4
                  continue-on-error: true
            licenses:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/dependency-review-action@v4
                  with:
                    # expect: weakened
                    vulnerability-check: false
            severe:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/dependency-review-action@v4
                  with:
                    # expect: permissive
                    fail-on-severity: critical
                    # expect: permissive
                    allow-ghsas: GHSA-1111-1111-1111, GHSA-1111-1111-1112, GHSA-1111-1111-1113, GHSA-1111-1111-1114, GHSA-1111-1111-1115, GHSA-1111-1111-1116
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              # expect: absent
              - package-ecosystem: npm
                directory: /
                schedule: { interval: weekly }
          `,
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - run: npm ci && npm test
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/dependency-review-action@v4
                  with:
                    fail-on-severity: moderate
                    allow-ghsas: GHSA-1111-1111-1111
                - uses: actions/dependency-review-action@v4
                  with:
                    vulnerability-check: false
                    deny-licenses: AGPL-3.0
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: npm
                directory: /
                schedule: { interval: weekly }
          `,
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: google/osv-scanner-action/osv-scanner-action@v2
          `,
        },
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: github-actions
                directory: /
                schedule: { interval: weekly }
          `,
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - run: make test
          `,
        },
      },
    ],
  },
  check: { workflow: check, repository: checkRepository },
});

function* check(workflow: Workflow): Generator<Report<Message>> {
  const reviews = [...stepsOf(workflow)].filter((step) => runsAction(step, 'actions/dependency-review-action'));
  for (const step of reviews) {
    yield* failure(step);
    const warnOnly = inputOf(step, 'warn-only');
    if (warnOnly !== undefined && isTrue(warnOnly)) {
      yield weak('weakened', '`warn-only` is set', step, warnOnly.span, turn(warnOnly, 'false'));
    }
    const checked = inputOf(step, 'vulnerability-check');
    // Splitting licences and vulnerabilities into two steps is common.
    const otherChecks = jobOf(step)?.steps.some(
      (other) => other !== step && reviews.includes(other) && !isFalse(inputOf(other, 'vulnerability-check')),
    );
    if (checked !== undefined && isFalse(checked) && otherChecks !== true) {
      yield weak('weakened', '`vulnerability-check` is off', step, checked.span, turn(checked, 'true'));
    }
    const severity = inputOf(step, 'fail-on-severity');
    if (severity?.value.trim() === 'critical') {
      yield weak('permissive', 'only critical vulnerabilities fail it', step, severity.span, undefined);
    }
    const allowed = inputOf(step, 'allow-ghsas');
    const count = allowed?.value.split(',').filter((id) => /GHSA-/i.test(id)).length ?? 0;
    if (allowed !== undefined && count > MANY_EXCEPTIONS) {
      yield weak('permissive', `${count} advisories are exempted`, step, allowed.span, undefined);
    }
  }
}

function* failure(step: Step): Generator<Report<Message>> {
  const tolerated = [step.mapping, jobOf(step)?.mapping].some((mapping) =>
    isTrue(textOf(mapping, 'continue-on-error')),
  );
  if (tolerated && step.uses !== undefined) {
    yield weak('weakened', 'the job continues when it fails', step, step.uses.span, undefined);
  }
}

function weak(
  message: 'weakened' | 'permissive',
  how: string,
  at: Step,
  span: Span,
  fix: Fix | undefined,
): Report<Message> {
  return { message, data: { how }, at, span, fix, severity: message === 'weakened' ? 'LOW' : 'INFO' };
}

function turn(text: Text, value: 'true' | 'false'): Fix | undefined {
  const edit = replaceScalar(text, value);
  return edit && { safety: 'review', edits: [edit] };
}

const CHECKS =
  /dependency-review|osv-scanner|snyk|trivy|grype|socket|(?:npm|pnpm|yarn|cargo|pip|bundle|composer)[ -]audit|cargo[ -]deny|govulncheck|pip-audit|dependency-check|\bfossa\b|black-?duck|mend|veracode|semgrep (?:ci|supply)|audit-ci|nancy|bundler-audit|safety (?:check|scan)|depcheck/i;

function* checkRepository({ dependabot, workflows, actions, partial }: Repository): Generator<Report<Message>> {
  if (partial || dependabot === undefined) return;
  const updates = dependabot.updates.filter(({ ecosystem }) => REVIEWED.has(ecosystem?.value ?? ''));
  const [first] = updates;
  if (first?.ecosystem === undefined) return;
  if (!workflows.some(({ triggers }) => triggers.some(({ event }) => event === 'pull_request'))) return;
  if ([...workflows, ...actions].some(({ source }) => CHECKS.test(source.text))) return;
  const ecosystems = [...new Set(updates.flatMap(({ ecosystem }) => ecosystem?.value ?? []))].join(', ');
  yield {
    message: 'absent',
    data: { ecosystems },
    at: dependabot,
    span: first.ecosystem.span,
    anchor: 'no dependency review',
    severity: 'INFO',
    confidence: 'medium',
  };
}
