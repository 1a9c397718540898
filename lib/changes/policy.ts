import type { ComboSeverity } from '#lib/combos/combo.ts';
import { comboSeverityRank } from '#lib/combos/match.ts';
import { severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';

export type FailOn = 'critical' | 'never' | Lowercase<Severity>;
export const FAIL_ON: readonly FailOn[] = ['critical', 'high', 'medium', 'low', 'info', 'never'];

export interface Policy {
  readonly failOn: FailOn;
  readonly newOnly: boolean;
}

export function findingFails(severity: Severity, failOn: FailOn): boolean {
  if (failOn === 'never' || failOn === 'critical') return false;
  return severityRank(severity) <= severityRank(failOn.toUpperCase() as Severity);
}

export function pathFails(severity: ComboSeverity, failOn: FailOn): boolean {
  if (failOn === 'never') return false;
  const threshold = failOn === 'critical' ? 'CRITICAL' : failOn === 'high' ? 'HIGH' : 'MEDIUM';
  return comboSeverityRank(severity) <= comboSeverityRank(threshold);
}
