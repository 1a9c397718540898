import type { NotAssessedReason } from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { Rule } from '#lib/scanner/engine/rule.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { type FileKind, fileKind } from '#lib/workflow/repository.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

const HOOKS: Readonly<Record<FileKind, readonly (keyof Rule['check'])[]>> = {
  workflow: ['workflow', 'job', 'callJob', 'step', 'uses'],
  action: ['action', 'step', 'uses'],
  dependabot: ['dependabot'],
  lockfile: ['lockfile'],
  config: [],
  renovate: [],
};

export function notAssessed(
  result: ScanResult,
  { files, unread }: Pick<RepositorySnapshot, 'files' | 'unread'>,
): { rule_id: string; reason: NotAssessedReason }[] {
  const reasons = new Map(result.notAssessed.map(({ ruleId, reason }) => [ruleId, reason]));
  const missing = [...unread, ...files.filter(({ text }) => text === undefined).map(({ path }) => path)];
  const kinds = new Set(missing.map(fileKind));
  for (const { id, check } of rules) {
    const looks = [...kinds].some(
      (kind) => kind !== undefined && HOOKS[kind].some((hook) => check[hook] !== undefined),
    );
    if (looks && !reasons.has(id)) reasons.set(id, 'rate_limited');
  }
  return [...reasons]
    .map(([rule_id, reason]) => ({ rule_id, reason }))
    .sort((a, b) => compareText(a.rule_id, b.rule_id));
}
