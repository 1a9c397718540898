import type { EventWriter } from '#lib/data/event-contexts.generated.ts';
import type { Reach } from '../reachability/events.ts';
import type { TextKind } from './event-payload-fields.ts';

/** Text that somebody other than the workflow's author chooses, reaching an expression. */
export interface Taint {
  /** What holds the text first: `github.event.issue.title`, `inputs.version`. */
  readonly source: string;
  /** `free`: any characters. `ref`: a branch or tag name, which may hold shell syntax. `structured`: a narrower alphabet. */
  readonly text: TextKind;
  readonly writer: EventWriter | 'caller';
  /** The run's rights when the writer is an outsider. */
  readonly reach: Reach;
  readonly event: string;
  /** The names it passes through on the way, outermost first: `env.TITLE`. */
  readonly via: readonly string[];
}

/** True if a text comes from another file: through `with`, outputs of a called workflow, or a dispatch. */
export function crossesFiles({ via }: Taint): boolean {
  return via.some((name) => CROSSING.test(name));
}

/** Names that a value only passes through when another file gave it. */
const CROSSING = /^(?:inputs|jobs|github\.event\.(?:inputs|client_payload))(?:\.|$)/;

/** The most serious of several: an outsider's before a member's, privileged before not, free before structured. */
export function worstTaint(taints: readonly Taint[]): Taint | undefined {
  return [...taints].sort((a, b) => rank(b) - rank(a))[0];
}

const WRITER_RANK = { outsider: 300, contributor: 200, caller: 100, member: 0 };
const TEXT_RANK = { free: 2, ref: 1, structured: 0 };

/** How serious it is, by the same order. */
export function rank({ writer, text, reach }: Pick<Taint, 'writer' | 'text'> & Partial<Pick<Taint, 'reach'>>): number {
  const privileged = writer === 'outsider' && reach === 'outsider-privileged' ? 50 : 0;
  return WRITER_RANK[writer] + privileged + TEXT_RANK[text];
}

/** What distinguishes values that are passed on. */
const MAX_PASSED_ON = 50;

/** What differs by more than its way within a file; of very many the most serious. */
export function distinct(taints: readonly Taint[]): readonly Taint[] {
  const found = new Map<string, Taint>();
  for (const taint of taints) {
    const { source, text, writer, reach, event } = taint;
    const key = `${source}\n${text}\n${writer}\n${reach}\n${event}\n${crossesFiles(taint)}`;
    if (!found.has(key)) found.set(key, taint);
  }
  const all = [...found.values()];
  return all.length > MAX_PASSED_ON ? all.sort((a, b) => rank(b) - rank(a)).slice(0, MAX_PASSED_ON) : all;
}

/** Fields that hold line breaks; titles, names and refs cannot. */
const MULTI_LINE_FIELD = /(?:^|\.)(?:body|body\.from|message|patch|diff_hunk|description)$|client_payload|^inputs\./;
/** A repository's description and a label's have one line. */
const ONE_LINE_FIELD = /(?:label|repo|repository|forkee|milestone)\.description$/;

export function isMultiline(taint: Taint): boolean {
  const whole = taint.source.includes(' ') && /\bbody$/.test(taint.source);
  return (
    taint.text === 'free' && (whole || (MULTI_LINE_FIELD.test(taint.source) && !ONE_LINE_FIELD.test(taint.source)))
  );
}
