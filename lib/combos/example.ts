import { NO_FACTS } from '#lib/facts/facts.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import type { ComboExample } from './combo.ts';
import { collectEvidence, type ScanEvidence } from './evidence.ts';

const EXAMPLE_PATH = '.github/workflows/example.yml';

export interface ScannedExample {
  readonly findings: readonly Finding[];
  readonly diagnostics: ScanResult['diagnostics'];
  readonly evidence: ScanEvidence;
}

export function filesOfExample({ yaml }: ComboExample): { readonly path: string; readonly text: string }[] {
  const sources = typeof yaml === 'string' ? { [EXAMPLE_PATH]: yaml } : yaml;
  return Object.entries(sources).map(([path, text]) => ({ path, text }));
}

export function scanComboExample(example: ComboExample): ScannedExample {
  const repository = createRepository(filesOfExample(example));
  const { findings, diagnostics } = scanRepository(repository);
  const evidence = collectEvidence(repository, findings, NO_FACTS);
  const others = (example.findings ?? []).map((finding, index) => ({
    fingerprint: `given-${index}`,
    message: '',
    severity: 'HIGH' as const,
    confidence: 'high' as const,
    file: finding.job === undefined ? null : EXAMPLE_PATH,
    job: null,
    step: null,
    attributes: {},
    ...finding,
  }));
  return { findings, diagnostics, evidence: { ...evidence, findings: [...evidence.findings, ...others] } };
}
