import type { Facts } from '#lib/facts/facts.ts';
import { withUsedActions } from '#lib/facts/used-actions.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Confidence, Severity } from '#lib/scanner/engine/rule.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { extractFacts, type Fact } from './facts.ts';

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface FindingEvidence {
  readonly fingerprint: string;
  readonly ruleId: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly file: string | null;
  readonly job: string | null;
  readonly step: number | null;
  readonly attributes: Attributes;
  readonly acceptedRisk?: boolean;
}

export interface ScanEvidence {
  readonly version: 1;
  readonly findings: readonly FindingEvidence[];
  readonly facts: readonly Fact[];
}

const MAX_FINDINGS = 10_000;
const MAX_ITEMS = 100;
const MAX_TEXT = 300;

/** Returns the evidence of one scanned repository. `findings` exclude suppressed ones. */
export function collectEvidence(repository: Repository, findings: readonly Finding[], known: Facts): ScanEvidence {
  return {
    version: 1,
    findings: findings.slice(0, MAX_FINDINGS).map(evidenceOf),
    facts: extractFacts(withUsedActions(repository, known), known),
  };
}

function evidenceOf(finding: Finding): FindingEvidence {
  const { fingerprint, ruleId, message, severity, confidence, file, job, step, attributes } = finding;
  const elsewhere = attributes['effect_job'];
  const place =
    typeof elsewhere === 'string' ? { job: elsewhere, step: null } : { job: job ?? null, step: step ?? null };
  return {
    fingerprint,
    ruleId,
    message,
    severity,
    confidence,
    file,
    ...place,
    attributes: bounded(attributes),
  };
}

function bounded(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (typeof value === 'string') return [name, value.slice(0, MAX_TEXT)];
      if (typeof value !== 'object') return [name, value];
      return [name, value.slice(0, MAX_ITEMS).map((item) => item.slice(0, MAX_TEXT))];
    }),
  );
}

/** Limit in characters of JSON; 10,000 findings need about 4,000,000. */
const MAX_FINDINGS_SIZE = 6_000_000;
const MAX_FACTS_SIZE = 2_000_000;

/**
 * Truncates evidence to a bounded size and to characters every database accepts. If `whole` is false, absent evidence
 * proves nothing.
 */
export function storableEvidence(evidence: ScanEvidence): { readonly evidence: ScanEvidence; readonly whole: boolean } {
  const findings = fitting(evidence.findings, MAX_FINDINGS_SIZE);
  const facts = fitting(evidence.facts, MAX_FACTS_SIZE);
  const whole = findings.length === evidence.findings.length && facts.length === evidence.facts.length;
  return { evidence: { ...evidence, findings, facts }, whole };
}

function fitting<T>(items: readonly T[], size: number): T[] {
  let left = size;
  const kept: T[] = [];
  for (const item of items) {
    const text = JSON.stringify(item, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value));
    left -= text.length;
    if (left < 0) break;
    kept.push(JSON.parse(text) as T);
  }
  return kept;
}

export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export interface Decisions {
  readonly disabledRules?: ReadonlySet<string>;
  readonly dismissed?: ReadonlySet<string>;
  readonly accepted?: ReadonlySet<string>;
}

export function withDecisions(evidence: ScanEvidence, decisions: Decisions): ScanEvidence {
  const { disabledRules, dismissed, accepted } = decisions;
  return {
    ...evidence,
    findings: evidence.findings.flatMap((finding) => {
      if (disabledRules?.has(finding.ruleId) === true || dismissed?.has(finding.fingerprint) === true) return [];
      return [accepted?.has(finding.fingerprint) === true ? { ...finding, acceptedRisk: true } : finding];
    }),
  };
}
