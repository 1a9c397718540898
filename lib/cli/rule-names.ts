import { rules } from '#lib/scanner/rules/index.ts';

/** Returns what to do about an id that no rule has. */
export function hintFor(id: string): string {
  const near = nearest(id);
  return near === undefined ? 'Run "chainbreak rules" to list them.' : `Did you mean "${near}"?`;
}

function nearest(id: string): string | undefined {
  const pairs = (text: string): Set<string> =>
    new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
  const wanted = pairs(id);
  const scored = rules.map((rule) => {
    const own = pairs(rule.id);
    const shared = [...own].filter((pair) => wanted.has(pair)).length;
    return { id: rule.id, score: (2 * shared) / (own.size + wanted.size || 1) };
  });
  const best = scored.sort((a, b) => b.score - a.score)[0];
  return best !== undefined && best.score > 0.4 ? best.id : undefined;
}
