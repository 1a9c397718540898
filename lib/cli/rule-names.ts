import { rules } from '#lib/scanner/rules/index.ts';
import { likeness } from '#lib/workflow/patterns/name-similarity.ts';

export function hintFor(id: string): string {
  const near = nearest(id);
  return near === undefined ? 'Run "chainbreak rules" to list them.' : `Did you mean "${near}"?`;
}

function nearest(id: string): string | undefined {
  const scored = rules.map((rule) => ({ id: rule.id, score: likeness(rule.id, id) }));
  const best = scored.sort((a, b) => b.score - a.score)[0];
  return best !== undefined && best.score > 0.4 ? best.id : undefined;
}
