import type { EventWriter } from '#lib/data/generated/event-contexts.generated.ts';
import { BY_COLLABORATORS, type Reach } from '../reachability/events.ts';
import type { TextKind } from './event-payload-fields.ts';

/** Text from someone other than the workflow's author that reaches an expression; `via` what, outermost first: `env.TITLE`. */
export interface Taint {
  readonly source: string;
  readonly text: TextKind;
  readonly writer: EventWriter | 'caller';
  readonly reach: Reach;
  readonly event: string;
  readonly via: readonly string[];
  /** The field of a JSON text that holds it, in lower case. */
  readonly inside?: string;
}

export const ANY_FIELD = '*';

export function eventOf({ event }: Pick<Taint, 'event'>): string {
  if (BY_COLLABORATORS.has(event)) return `${event} if the wiki is open to everybody`;
  return event === '*' ? 'any event' : event;
}

export function crossesFiles({ via }: Taint): boolean {
  return via.some((name) => CROSSING.test(name));
}

const CROSSING = /^(?:inputs|jobs|github\.event\.(?:inputs|client_payload))(?:\.|$)/;

/** Returns the most serious taint: outsiders before members, privileged runs first, free text before structured. */
export function worstTaint(taints: readonly Taint[]): Taint | undefined {
  return [...taints].sort((a, b) => rank(b) - rank(a))[0];
}

const WRITER_RANK = { outsider: 300, contributor: 200, caller: 100, member: 0 };
const TEXT_RANK = { free: 2, ref: 1, structured: 0 };

export function rank({
  writer,
  text,
  reach,
  event = '',
}: Pick<Taint, 'writer' | 'text'> & Partial<Pick<Taint, 'reach' | 'event'>>): number {
  const privileged =
    writer === 'outsider' && reach === 'outsider-privileged' ? (BY_COLLABORATORS.has(event) ? 40 : 50) : 0;
  return WRITER_RANK[writer] + privileged + TEXT_RANK[text];
}

const MAX_PASSED_ON = 50;

/** Merges taints that differ only in their route within a file; of too many keeps the most serious. */
export function distinct(taints: readonly Taint[]): readonly Taint[] {
  const found = new Map<string, Taint>();
  for (const taint of taints) {
    const { source, text, writer, reach, event, inside = '' } = taint;
    const key = `${source}\n${text}\n${writer}\n${reach}\n${event}\n${inside}\n${crossesFiles(taint)}`;
    if (!found.has(key)) found.set(key, taint);
  }
  const all = [...found.values()];
  return all.length > MAX_PASSED_ON ? all.sort((a, b) => rank(b) - rank(a)).slice(0, MAX_PASSED_ON) : all;
}

const MULTI_LINE_FIELD = /(?:^|\.)(?:body|body\.from|message|patch|diff_hunk|description)$|client_payload|^inputs\./;
const ONE_LINE_FIELD = /(?:label|repo|repository|forkee|milestone)\.description$/;

export function isMultiline(taint: Taint): boolean {
  const whole = taint.source.includes(' ') && /\bbody(?:$| of )/.test(taint.source);
  return (
    taint.text === 'free' && (whole || (MULTI_LINE_FIELD.test(taint.source) && !ONE_LINE_FIELD.test(taint.source)))
  );
}
