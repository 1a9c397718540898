import type { Span } from '#lib/workflow/text/source.ts';

export interface RemoteCode {
  readonly url: string | undefined;
  readonly insecure: boolean;
  readonly kind: 'applied' | 'built' | 'evaluated' | 'piped' | 'saved' | 'unpacked';
  readonly runner: string;
  readonly span: Span;
}

const POWERSHELL_RUNS = /\b(?:iex|invoke-expression)\b/i;
const PIPED_INTO = /\|\s*(?:sudo\s+)?((?:ba|z)?sh)(?:\s+-|\s*(?:$|[;&|"'`)]))/;
const POWERSHELL_FETCHES = /\b(?:irm|iwr|curl|wget|invoke-restmethod|invoke-webrequest|downloadstring)\b/i;

const SAVES =
  /(?:-OutFile|-o|--output|-Destination)\s+["']?([^\s"';]{1,200})|DownloadFile\([^\n,]{1,300},\s*["']([^"'\n]{1,200})/i;
const STARTS =
  /^(?:&\s*|start\s+|call\s+|start-process\s|msiexec\b|\$?[\w.]*\s?=\s?start-process\s)|^["']?[.\w$:{}\\/-]+\.(?:exe|ps1|bat|cmd|msi)\b/i;
const VERIFIES = /get-filehash|certutil\s+-hashfile|sha(?:256|512)/i;
const MAX_SAVED = 50;

export function savedPrograms(script: string, offset: (index: number) => number): RemoteCode[] {
  if (!POWERSHELL_FETCHES.test(script) || !SAVES.test(script) || VERIFIES.test(script)) return [];
  const saved = new Map<string, Omit<RemoteCode, 'kind' | 'runner'>>();
  const found: RemoteCode[] = [];
  let start = 0;
  for (const line of script.split('\n')) {
    const trimmed = line.trim();
    const from = start + line.length - line.trimStart().length;
    start += line.length + 1;
    if (trimmed === '' || trimmed.length > 2_000 || /^(?:#|::|rem\b)/i.test(trimmed)) continue;
    if (STARTS.test(trimmed)) {
      for (const [name, code] of saved) {
        if (!trimmed.toLowerCase().includes(name)) continue;
        found.push({ ...code, kind: 'saved', runner: name });
        saved.delete(name);
      }
    }
    if (!POWERSHELL_FETCHES.test(trimmed) || saved.size >= MAX_SAVED) continue;
    const [, option, given] = SAVES.exec(trimmed) ?? [];
    const name = (option ?? given)?.split(/[\\/]/).at(-1)?.toLowerCase();
    const url = /https?:\/\/[^\s'")|;]+/i.exec(trimmed)?.[0];
    if (name === undefined || name === '' || url === undefined) continue;
    const span = { start: offset(from), end: offset(from + trimmed.length - 1) + 1 };
    saved.set(name, { url, insecure: /^http:/i.test(url), span });
  }
  return found;
}

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
