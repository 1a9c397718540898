import { hash } from 'node:crypto';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Report } from './rule.ts';

export interface Anchor {
  readonly ruleId: string;
  readonly file: string;
  readonly job: string;
  readonly step: string;
  readonly text: string;
}

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

const MAX_TEXT = 4_000;

/** Removes everything that a version bump changes, so that a fingerprint outlives it. */
export function normalize(text: string): string {
  const bare = text
    .slice(0, MAX_TEXT)
    .replace(/(?<!\s)\s+#\s*v?\d[\w.-]*$/i, '')
    .replace(/\b[0-9a-f]{40,64}\b/gi, '')
    .replace(/@sha256:/g, '');
  return withoutRefs(bare)
    .replace(/([a-z0-9]):[\w.-]*\d[\w.-]*/gi, '$1')
    .replace(/\bv?\d+(?:\.\d+)+(?:[-+.][\w.]+)?\b/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function withoutRefs(text: string): string {
  let end = -1;
  return text.replace(/@(?<=[\w.-]\/[\w./-]+@)[\w./+-]*/g, (ref, at: number) => {
    if (at === end) return ref;
    end = at + ref.length;
    return '';
  });
}

export function fingerprintOf(anchor: Anchor, ordinal: number): string {
  const parts = [anchor.ruleId, anchor.file, anchor.job, anchor.step, anchor.text];
  if (ordinal > 0) parts.push(String(ordinal));
  // Length-prefixed, so that no text can imitate two parts.
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}\n`).join(''), 'hex');
}
