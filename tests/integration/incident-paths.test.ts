import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectEvidence, type ScanEvidence } from '#lib/combos/evidence.ts';
import { type AttackPath, findPaths, foldPaths, type Surroundings } from '#lib/combos/match.ts';
import { incidents } from '#lib/data/curated/incidents.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';

const ROOT = 'tests/fixtures/incidents';

interface Expected {
  readonly combo: string;
  readonly severity: 'CRITICAL' | 'HIGH' | 'MEDIUM';
  readonly stages: string;
  readonly breakRule: string;
  readonly world?: Surroundings;
}

const path = (
  combo: string,
  severity: Expected['severity'],
  stages: string,
  breakRule: string,
  world?: Surroundings,
): Expected => ({ combo, severity, stages, breakRule, ...(world === undefined ? {} : { world }) });

const pasted = (stages: string, severity: Expected['severity'] = 'CRITICAL'): Expected =>
  path('event-text-to-shell-with-credentials', severity, stages, 'template-injection');
const forked = (loose = ''): Expected =>
  path(
    'fork-code-with-credentials',
    'CRITICAL',
    `dangerous-triggers > untrusted-checkout > untrusted-checkout-exec${loose}`,
    'untrusted-checkout',
  );
const artifact = path('fork-artifact-in-privileged-run', 'CRITICAL', 'artifact-poisoning', 'artifact-poisoning');

const EXPECTED: Readonly<Record<string, Expected>> = {
  'artifact-environment-2022': { ...artifact, stages: 'artifact-poisoning > github-env' },
  'artifact-over-checkout-2023': artifact,
  'artifact-script-2022': artifact,
  'artipacked-2024': path('git-credential-in-artifact', 'HIGH', 'artipacked', 'artipacked'),
  'changed-file-names-2023': pasted('dangerous-triggers > template-injection'),
  'checkout-in-composite': forked(),
  'cline-2026': path(
    'ai-agent-with-hands',
    'CRITICAL',
    'ai-agent-unrestricted-trigger > ai-prompt-injection > ai-agent-excessive-tools',
    'ai-prompt-injection',
  ),
  'codecov-2021': path('fetched-script-beside-secrets', 'HIGH', 'unverified-script-exec', 'unverified-script-exec'),
  'composite-input': path('input-laundering', 'MEDIUM', 'reusable-workflow-taint', 'reusable-workflow-taint'),
  'dependabot-deputy-2022': path(
    'bot-impersonation-automerge',
    'HIGH',
    'bot-conditions > confused-deputy-auto-merge',
    'bot-conditions',
  ),
  'deploy-comment-race': path(
    'approved-then-swapped',
    'HIGH',
    'untrusted-checkout-toctou',
    'untrusted-checkout-toctou',
  ),
  'elementary-data-2026': pasted('dangerous-triggers > template-injection > excessive-permissions'),
  'environment-file-from-fork': path('env-file-hijack', 'HIGH', 'dangerous-triggers > github-env', 'github-env'),
  'evaluated-shell': pasted('template-injection'),
  'evaluated-variable': pasted('template-injection'),
  'gh-pr-checkout': path(
    'comment-command-without-authorization',
    'CRITICAL',
    'dangerous-triggers > missing-trigger-authorization > untrusted-checkout > untrusted-checkout-exec',
    'untrusted-checkout',
  ),
  'ghostaction-2025': path('secrets-sent-to-stranger', 'CRITICAL', 'secret-exfiltration', 'secret-exfiltration'),
  'grafana-2025': pasted('dangerous-triggers > template-injection'),
  'head-in-subfolder': forked(' > oidc-exposed-to-untrusted-trigger'),
  'inherited-secrets': path(
    'inherited-secrets-to-mutable-callee',
    'MEDIUM',
    'unpinned-uses > secrets-inherit',
    'secrets-inherit',
  ),
  'install-after-run': forked(),
  'issue-body-2022': pasted('dangerous-triggers > template-injection'),
  'issues-helper-2026': path(
    'known-bad-action-with-credentials',
    'HIGH',
    'compromised-action-ref',
    'compromised-action-ref',
  ),
  'kong-2024': forked(),
  'label-gate-race': path(
    'approved-then-swapped',
    'HIGH',
    'untrusted-checkout-toctou > untrusted-checkout-exec',
    'untrusted-checkout-toctou',
  ),
  'later-job-workspace': artifact,
  'looked-up-title': pasted('dangerous-triggers > template-injection'),
  'matrix-from-artifact': { ...artifact, stages: 'artifact-poisoning > excessive-permissions' },
  'nx-s1ngularity-2025': pasted('dangerous-triggers > template-injection > excessive-permissions', 'HIGH'),
  'powershell-title': pasted('dangerous-triggers > template-injection > artipacked'),
  'promptpwnd-codex-2025': path(
    'ai-agent-with-hands',
    'CRITICAL',
    'ai-agent-unrestricted-trigger > ai-prompt-injection > ai-agent-excessive-tools',
    'ai-prompt-injection',
  ),
  'promptpwnd-gemini-2025': path(
    'ai-agent-with-hands',
    'CRITICAL',
    'ai-agent-unrestricted-trigger > ai-prompt-injection',
    'ai-prompt-injection',
  ),
  'python-subprocess': forked(),
  'pytorch-2024': path('fork-code-on-persistent-runner', 'CRITICAL', 'self-hosted-runner-pr', 'self-hosted-runner-pr'),
  'registry-password': path(
    'password-in-public-file',
    'HIGH',
    'hardcoded-container-credentials',
    'hardcoded-container-credentials',
  ),
  'reusable-input': path(
    'input-laundering',
    'CRITICAL',
    'dangerous-triggers > reusable-workflow-taint',
    'reusable-workflow-taint',
  ),
  'review-on-own-branch': pasted('template-injection'),
  'rspack-2024': path(
    'comment-command-without-authorization',
    'CRITICAL',
    'dangerous-triggers > missing-trigger-authorization > untrusted-checkout > untrusted-checkout-exec > excessive-permissions',
    'untrusted-checkout',
  ),
  'script-literal': pasted('dangerous-triggers > template-injection', 'MEDIUM'),
  'script-result': pasted('dangerous-triggers > template-injection'),
  'script-to-environment': path('env-file-hijack', 'HIGH', 'github-env', 'github-env'),
  'shai-hulud-runner-2025': pasted('dangerous-triggers > template-injection'),
  'shai-hulud-secrets-2025': path(
    'secrets-sent-to-stranger',
    'CRITICAL',
    'malicious-workflow-indicator > overprovisioned-secrets > secret-exfiltration',
    'secret-exfiltration',
  ),
  'signed-fork-artifact': path('fork-artifact-to-release', 'CRITICAL', 'artifact-poisoning', 'artifact-poisoning'),
  'slash-command': pasted('dangerous-triggers > template-injection'),
  'spotbugs-2024': forked(),
  'tanstack-2026': path(
    'untrusted-run-to-release-cache',
    'CRITICAL',
    'untrusted-checkout > cache-poisoning',
    'cache-poisoning',
    { cachesReadOnly: false },
  ),
  'target-install-2023': forked(' > excessive-permissions'),
  'tj-actions-2025': path(
    'known-bad-action-with-credentials',
    'HIGH',
    'compromised-action-ref',
    'compromised-action-ref',
  ),
  'trivy-2026': forked(),
  'ultralytics-2024': path('input-laundering', 'CRITICAL', 'reusable-workflow-taint', 'reusable-workflow-taint'),
  'whole-event-dump': pasted('dangerous-triggers > template-injection'),
};

function evidenceOf(folder: string): ScanEvidence {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }));
  const repository = createRepository(files);
  return collectEvidence(repository, scanRepository(repository).findings, NO_FACTS);
}

function short({ comboId, severity, stages, breakChainRule }: AttackPath): Expected {
  const rules = stages.flatMap(({ ruleId }) => ruleId ?? []).join(' > ');
  return { combo: comboId, severity, stages: rules, breakRule: breakChainRule };
}

describe.each(incidents.map((incident) => [incident.id, incident] as const))('%s', (id, { missed, combination }) => {
  const { world = {}, ...expected } = EXPECTED[id] as Expected;
  const vulnerable = evidenceOf(join(ROOT, id, 'vulnerable'));

  const shown = missed === undefined ? it : it.fails;

  shown('shows the path before the attack', () => {
    expect(foldPaths(findPaths(vulnerable, world)).map(short)).toContainEqual(expected);
  });

  it('leads to that combination', () => {
    expect(combination).toBe(expected.combo);
  });

  it('disappears after a manual fix of the break rule', () => {
    const corrected = evidenceOf(join(ROOT, id, 'corrected'));
    const paths = findPaths(corrected, world);
    expect(paths.filter(({ comboId }) => comboId === expected.combo).map(short)).toEqual([]);
    expect(paths.filter(({ severity }) => severity !== 'MEDIUM').map(short)).toEqual([]);
  });

  shown('is ended when the findings of the break rule are gone', () => {
    const own = (evidence: ScanEvidence): AttackPath[] =>
      findPaths(evidence, world).filter(({ comboId }) => comboId === expected.combo);
    const cut = new Set(own(vulnerable).flatMap(({ cuts }) => cuts[0] ?? []));
    expect(cut.size).toBeGreaterThan(0);
    const rest = vulnerable.findings.filter(({ fingerprint }) => !cut.has(fingerprint));
    expect(own({ ...vulnerable, findings: rest })).toEqual([]);
  });
});

it('has an entry for each incident', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(incidents.map(({ id }) => id).sort());
});
