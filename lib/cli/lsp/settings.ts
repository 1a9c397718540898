import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';

export interface Settings {
  readonly minSeverity: Severity;
  readonly pedantic: boolean;
}

export const DEFAULT_SETTINGS: Settings = { minSeverity: 'INFO', pedantic: false };

export function settingsOf(value: unknown): Settings {
  const { minSeverity, pedantic } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    keyof Settings,
    unknown
  >;
  const wanted = typeof minSeverity === 'string' ? minSeverity.toUpperCase() : undefined;
  return {
    minSeverity: SEVERITIES.find((severity) => severity === wanted) ?? DEFAULT_SETTINGS.minSeverity,
    pedantic: typeof pedantic === 'boolean' ? pedantic : DEFAULT_SETTINGS.pedantic,
  };
}
