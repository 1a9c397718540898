import { hash } from 'node:crypto';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Report } from './rule.ts';

/** What identifies a finding beside its ordinal. Nothing here moves with a line or a pinned version. */
export interface Anchor {
  readonly ruleId: string;
  readonly file: string;
  readonly job: string;
  readonly step: string;
  readonly text: string;
}

/** The structural place and text of a report: job id; step id, name or action; the offending text. */
export function anchorOf(ruleId: string, file: string, report: Report, offending: string): Anchor {
  const { at } = report;
  const step = 'kind' in at && at.kind === 'step' ? at : undefined;
  const job = 'kind' in at && at.kind === 'job' ? at : step?.parent.kind === 'job' ? step.parent : undefined;
  return {
    ruleId,
    file,
    job: jobKey(job),
    step: step === undefined ? '' : stepKey(step),
    text: normalize('setting' in at ? at.setting : (report.anchor ?? offending)),
  };
}

function jobKey(job: Job | undefined): string {
  return job?.id ?? '';
}

function stepKey(step: Step): string {
  return step.id?.value ?? step.name?.value ?? normalize(step.uses?.text.value ?? '');
}

/**
 * White space folded, and every version, tag or hash that an update could bump left out: the ref of an action, the tag
 * and digest of an image, and version numbers.
 */
export function normalize(text: string): string {
  return text
    .replace(/(?:\s+#\s*v?\d[\w.-]*)$/i, '')
    .replace(/\b[0-9a-f]{40,64}\b/gi, '')
    .replace(/@sha256:/g, '')
    .replace(/([\w.-]+\/[\w./-]+)@[\w./+-]*/g, '$1')
    .replace(/([a-z0-9]):[\w.-]*\d[\w.-]*/gi, '$1')
    .replace(/\bv?\d+(?:\.\d+)+(?:[-+.][\w.]+)?\b/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** SHA-256 of the anchor; `ordinal` (from 0) only tells identical anchors of one file apart. */
export function fingerprintOf(anchor: Anchor, ordinal: number): string {
  const parts = [anchor.ruleId, anchor.file, anchor.job, anchor.step, anchor.text];
  if (ordinal > 0) parts.push(String(ordinal));
  // Length-prefixed, so that no text can pose as two parts.
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}\n`).join(''), 'hex');
}
