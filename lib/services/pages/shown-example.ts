import type { Fix, Severity } from '#lib/scanner/engine/rule.ts';

export interface ShownFile {
  readonly path: string;
  readonly text: string;
  readonly marked: readonly number[];
}

export interface ShownFinding {
  readonly severity: Severity;
  readonly description: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly ruleId?: string;
}

export interface ShownExample {
  readonly given: readonly string[];
  readonly files: readonly ShownFile[];
  readonly findings: readonly ShownFinding[];
  readonly fixed?: {
    readonly text: string;
    readonly safety: Fix['safety'];
    readonly someSafe: boolean;
  };
}

export interface Neighbour {
  readonly id: string;
  readonly title: string;
}
