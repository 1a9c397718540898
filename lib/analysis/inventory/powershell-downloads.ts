import type { Span } from '#lib/workflow/text/source.ts';

export interface RemoteCode {
  readonly url: string | undefined;
  /** True for `http://` and disabled certificate checks. */
  readonly insecure: boolean;
  readonly kind: 'evaluated' | 'piped' | 'saved' | 'unpacked';
  readonly runner: string;
  readonly span: Span;
}

const POWERSHELL_RUNS = /\b(?:iex|invoke-expression)\b/i;
const PIPED_INTO = /\|\s*(?:sudo\s+)?((?:ba|z)?sh)(?:\s+-|\s*(?:$|[;&|]))/;
const POWERSHELL_FETCHES = /\b(?:irm|iwr|curl|wget|invoke-restmethod|invoke-webrequest|downloadstring)\b/i;

/** Finds downloads that PowerShell runs, line by line. */
export function powershellCode(script: string, offset: (index: number) => number, end?: number): RemoteCode[] {
  const found: RemoteCode[] = [];
  let start = 0;
  for (const line of script.split('\n')) {
    const trimmed = line.trim();
    const runner = POWERSHELL_RUNS.test(line) ? 'Invoke-Expression' : PIPED_INTO.exec(line)?.[1];
    if (!trimmed.startsWith('#') && runner !== undefined && POWERSHELL_FETCHES.test(line)) {
      const url = /https?:\/\/[^\s'")|;]+/i.exec(line)?.[0];
      const first = start + line.length - line.trimStart().length;
      const span = { start: offset(first), end: end ?? offset(first + trimmed.length - 1) + 1 };
      found.push({
        url,
        insecure: url !== undefined && /^http:/i.test(url),
        kind: 'piped',
        runner,
        span,
      });
    }
    start += line.length + 1;
  }
  return found;
}
