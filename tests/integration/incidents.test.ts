import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { incidents } from '#lib/data/curated/incidents.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';

const ROOT = 'tests/fixtures/incidents';

interface Expected {
  readonly rule: string;
  readonly message: string;
  readonly file: string;
  readonly line: string;
  readonly severity: Severity;
}

const expectation = (
  file: string,
  rule: string,
  message: string,
  line: string,
  whyLower?: string,
  lowered: Severity = 'MEDIUM',
): Expected => ({ file, rule, message, line, severity: whyLower === undefined ? 'HIGH' : lowered });

const EXPECTED: Readonly<Record<string, readonly Expected[]>> = {
  'spotbugs-2024': [expectation('build.yml', 'untrusted-checkout-exec', 'runs', './mvnw')],
  'tj-actions-2025': [expectation('lint.yml', 'compromised-action-ref', 'commit', '0e58ed86')],
  'changed-file-names-2023': [expectation('format.yml', 'template-injection', 'outsider', 'all_changed_files')],
  'ultralytics-2024': [
    expectation('.github/actions/format/action.yml', 'reusable-workflow-taint', 'pasted', 'git pull'),
  ],
  'nx-s1ngularity-2025': [expectation('title.yml', 'template-injection', 'outsider', 'pull_request.title')],
  'grafana-2025': [expectation('levitate.yml', 'template-injection', 'outsider', 'head.ref')],
  'rspack-2024': [
    expectation('ecosystem.yml', 'untrusted-checkout-exec', 'runs', 'pnpm install'),
    expectation('ecosystem.yml', 'missing-trigger-authorization', 'executes', 'startsWith'),
  ],
  'trivy-2026': [expectation('api-diff.yml', 'untrusted-checkout-exec', 'runs', './.github/actions/setup')],
  'tanstack-2026': [
    expectation(
      'release.yml',
      'cache-poisoning',
      'reachable',
      'actions/cache',
      'github.com gives such runs caches to read only since June 2026',
      'LOW',
    ),
  ],
  'cline-2026': [
    expectation('triage.yml', 'ai-prompt-injection', 'prompt', 'claude-code-action'),
    expectation('triage.yml', 'ai-agent-unrestricted-trigger', 'widened', 'allowed_non_write_users'),
  ],
  'promptpwnd-gemini-2025': [expectation('triage.yml', 'ai-prompt-injection', 'prompt', 'run-gemini-cli')],
  'promptpwnd-codex-2025': [
    expectation('answer.yml', 'ai-prompt-injection', 'prompt', 'codex-action'),
    expectation('answer.yml', 'ai-agent-unrestricted-trigger', 'widened', 'allow-users'),
  ],
  'elementary-data-2026': [expectation('ticket.yml', 'template-injection', 'outsider', 'comment.body')],
  'kong-2024': [expectation('regenerate.yml', 'untrusted-checkout-exec', 'runs', 'make generate')],
  'pytorch-2024': [expectation('test.yml', 'self-hosted-runner-pr', 'code', 'self-hosted')],
  'ghostaction-2025': [expectation('security.yml', 'secret-exfiltration', 'others', 'curl')],
  'shai-hulud-secrets-2025': [
    expectation('shai.yml', 'secret-exfiltration', 'collector', 'curl'),
    expectation(
      'shai.yml',
      'overprovisioned-secrets',
      'whole',
      'toJSON(secrets)',
      'it only widens what the transmission takes',
    ),
    expectation('shai.yml', 'malicious-workflow-indicator', 'certain', 'run: |'),
  ],
  'shai-hulud-runner-2025': [
    expectation('discussion.yml', 'template-injection', 'outsider', 'discussion.body'),
    expectation('discussion.yml', 'malicious-workflow-indicator', 'certain', 'discussion.body'),
  ],
  'codecov-2021': [
    expectation('coverage.yml', 'unverified-script-exec', 'piped', 'bash <(', 'the vendor has to be taken over first'),
  ],
  'artipacked-2024': [expectation('build.yml', 'artipacked', 'artifact', 'actions/checkout')],
  'dependabot-deputy-2022': [
    expectation('merge.yml', 'bot-conditions', 'actor', 'github.actor'),
    expectation('merge.yml', 'confused-deputy-auto-merge', 'actor', 'gh pr merge'),
  ],
  'artifact-script-2022': [expectation('comment.yml', 'artifact-poisoning', 'executed', 'download-artifact')],
  'artifact-over-checkout-2023': [expectation('quality.yml', 'artifact-poisoning', 'overwrites', 'gh run download')],
  'artifact-environment-2022': [
    expectation('preview.yml', 'artifact-poisoning', 'variables', 'action-download-artifact'),
    expectation('preview.yml', 'github-env', 'variables', 'cat artifact/pr.env'),
  ],
  'label-gate-race': [expectation('integration.yml', 'untrusted-checkout-toctou', 'label', 'head.ref')],
  'deploy-comment-race': [expectation('deploy.yml', 'untrusted-checkout-toctou', 'comment', 'refs/pull/')],
  'issue-body-2022': [expectation('triage.yml', 'template-injection', 'outsider', 'issue.body')],
  'issues-helper-2026': [expectation('helper.yml', 'compromised-action-ref', 'tag', 'issues-helper')],
  'target-install-2023': [expectation('checks.yml', 'untrusted-checkout-exec', 'runs', 'pip install')],
  'head-in-subfolder': [expectation('docs.yml', 'untrusted-checkout-exec', 'runs', 'make -C')],
  'gh-pr-checkout': [
    expectation('format.yml', 'untrusted-checkout-exec', 'runs', 'npm ci'),
    expectation('format.yml', 'missing-trigger-authorization', 'executes', 'contains'),
  ],
  'install-after-run': [expectation('preview.yml', 'untrusted-checkout-exec', 'runs', 'npm install')],
  'reusable-input': [expectation('notify.yml', 'reusable-workflow-taint', 'pasted', 'inputs.subject')],
  'composite-input': [
    expectation('.github/actions/greet/action.yml', 'reusable-workflow-taint', 'pasted', 'inputs.text'),
  ],
  'script-literal': [expectation('label.yml', 'template-injection', 'outsider', 'issue.title')],
  'script-to-environment': [expectation('parse.yml', 'github-env', 'variables', 'appendFileSync')],
  'script-result': [expectation('parse.yml', 'template-injection', 'outsider', 'outputs.result')],
  'matrix-from-artifact': [expectation('deploy.yml', 'artifact-poisoning', 'expanded', 'download-artifact')],
  'environment-file-from-fork': [expectation('versions.yml', 'github-env', 'variables', 'cat .versions')],
  'inherited-secrets': [
    expectation(
      'release.yml',
      'secrets-inherit',
      'movable',
      'secrets: inherit',
      'GitHub passes them on only within one enterprise',
    ),
  ],
  'registry-password': [expectation('test.yml', 'hardcoded-container-credentials', 'password', 'hunter2')],
  'signed-fork-artifact': [expectation('sign.yml', 'artifact-poisoning', 'shipped', 'download-artifact')],
  'evaluated-variable': [expectation('command.yml', 'template-injection', 'evaluated', 'eval')],
  'evaluated-shell': [expectation('command.yml', 'template-injection', 'evaluated', 'bash -c')],
  'looked-up-title': [expectation('notes.yml', 'template-injection', 'outsider', 'outputs.title')],
  'slash-command': [expectation('dispatch.yml', 'template-injection', 'outsider', 'command-arguments')],
  'whole-event-dump': [
    expectation('debug.yml', 'template-injection', 'outsider', 'toJSON(github)'),
    expectation('debug.yml', 'template-injection', 'outsider', 'event.comment'),
  ],
  'powershell-title': [
    expectation('title.yml', 'template-injection', 'outsider', 'Write-Host'),
    expectation('title.yml', 'untrusted-checkout-exec', 'runs', '|'),
  ],
  'checkout-in-composite': [expectation('preview.yml', 'untrusted-checkout-exec', 'runs', './.github/actions/prepare')],
  'later-job-workspace': [expectation('bench.yml', 'artifact-poisoning', 'executed', 'download-artifact')],
  'python-subprocess': [expectation('build.yml', 'untrusted-checkout-exec', 'runs', 'subprocess')],
  'review-on-own-branch': [expectation('review.yml', 'template-injection', 'outsider', 'review.body')],
};

function scan(folder: string): Finding[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
  const result = scanRepository(createRepository(files));
  expect(result.diagnostics).toEqual([]);
  return [...result.findings];
}

function pathOf({ file }: Expected): string {
  return file.startsWith('.github/') ? file : `.github/workflows/${file}`;
}

describe.each(incidents.map((incident) => [incident.id, incident] as const))('%s', (id, { missed, rules }) => {
  const folder = join(ROOT, id);
  const expectations = EXPECTED[id] ?? [];

  const found = missed === undefined ? it : it.fails;

  found(missed === undefined ? 'is found' : `is missed: ${missed}`, () => {
    const findings = scan(join(folder, 'vulnerable'));
    for (const expected of expectations) {
      const path = pathOf(expected);
      const lines = readFileSync(join(folder, 'vulnerable', path), 'utf8').split('\n');
      const found = findings
        .filter(
          ({ ruleId, message, file }) => ruleId === expected.rule && message === expected.message && file === path,
        )
        .map(({ severity, line }) => ({ severity, line: lines[(line ?? 0) - 1]?.trim() }));
      expect(found).toContainEqual({ severity: expected.severity, line: expect.stringContaining(expected.line) });
    }
  });

  it('is found by the expected rules', () => {
    expect([...rules].sort()).toEqual([...new Set(expectations.map(({ rule }) => rule))].sort());
  });

  it('is not found after the correction', () => {
    const findings = scan(join(folder, 'corrected'));
    expect(
      findings
        .filter(({ severity, ruleId }) => severity === 'HIGH' || (severity === 'MEDIUM' && rules.includes(ruleId)))
        .map(short),
    ).toEqual([]);
  });
});

function short({ severity, ruleId, file, line }: Finding): string {
  return `${severity} ${ruleId} ${file}:${line}`;
}

it('has an entry for each fixture', () => {
  expect(incidents.map(({ id }) => id).sort()).toEqual(readdirSync(ROOT).sort());
  expect(Object.keys(EXPECTED).sort()).toEqual(readdirSync(ROOT).sort());
  expect(incidents.every(({ id }) => existsSync(join(ROOT, id, 'corrected')))).toBe(true);
});
