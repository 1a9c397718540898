import { fileKind, type InputFile } from '#lib/workflow/repository.ts';

const MAX_CANDIDATES = 100;
const MIN_SIMILARITY = 0.6;

/**
 * Returns the base with moved files at their new paths, so that a finding in a moved file is the same finding. A file
 * moved if it is gone, and one of its kind with most of its lines is new.
 */
export function withMoves(base: readonly InputFile[], head: readonly InputFile[]): InputFile[] {
  const before = new Set(base.map(({ path }) => path));
  const after = new Set(head.map(({ path }) => path));
  const gone = base.filter(({ path, text }) => text !== undefined && !after.has(path)).slice(0, MAX_CANDIDATES);
  const fresh = head.filter(({ path, text }) => text !== undefined && !before.has(path)).slice(0, MAX_CANDIDATES);
  if (gone.length === 0 || fresh.length === 0) return [...base];
  const lines = new Map([...gone, ...fresh].map((file) => [file, linesOf(file)]));
  const pairs = gone
    .flatMap((from) =>
      fresh.flatMap((to) => {
        const kind = fileKind(from.path);
        if (kind !== fileKind(to.path) || kind === 'config' || kind === 'renovate') return [];
        const similarity = similarityOf(lines.get(from) ?? new Map(), lines.get(to) ?? new Map());
        return similarity < MIN_SIMILARITY ? [] : [{ from, to, similarity }];
      }),
    )
    .sort((a, b) => b.similarity - a.similarity);
  const target = new Map<InputFile, string>();
  const taken = new Set<InputFile>();
  for (const { from, to } of pairs) {
    if (target.has(from) || taken.has(to)) continue;
    target.set(from, to.path);
    taken.add(to);
  }
  return base.map((file) => ({ ...file, path: target.get(file) ?? file.path }));
}

function linesOf({ text = '' }: InputFile): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const key = line.trim();
    if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function similarityOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [line, count] of a) shared += Math.min(count, b.get(line) ?? 0);
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, each) => total + each, 0);
  return shared / Math.max(1, sum(a), sum(b));
}
