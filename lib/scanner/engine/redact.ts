import type { Span } from '#lib/workflow/text/source.ts';
import { findByPlace } from './credential-places.ts';
import { CREDENTIAL_FORMATS, mayHoldCredential } from './credentials.ts';

export const REDACTED = '[redacted]';

/** Replaces what looks like a credential, by form or place. Every text that leaves the engine passes through here. */
export function redact(text: string): string {
  const spans = findByPlace(text);
  if (mayHoldCredential(text)) {
    for (const { pattern } of CREDENTIAL_FORMATS) {
      for (const match of text.matchAll(pattern)) {
        spans.push({ start: match.index, end: match.index + match[0].length });
      }
    }
  }
  return spans.length === 0 ? text : hide(text, spans);
}

function hide(text: string, spans: Span[]): string {
  let result = '';
  let from = 0;
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    if (start > from || from === 0) result += `${text.slice(from, start)}${REDACTED}`;
    from = end;
  }
  return result + text.slice(from);
}
