const EXPRESSION = /\$\{\{[^}]*(?:\}(?!\})[^}]*)*(?:\}\}|$)/;

/**
 * Compares two templates in which an expression is any text: `must` if both are literal and equal, `may` if an
 * expression decides, else `never`.
 */
export function unify(a: string, b: string): 'must' | 'may' | 'never' {
  if (a === '*' || b === '*') return 'may';
  const left = a.split(EXPRESSION);
  const right = b.split(EXPRESSION);
  if (left.length === 1 && right.length === 1) return a === b ? 'must' : 'never';
  const [startA = '', startB = ''] = [left[0], right[0]];
  const [endA = '', endB = ''] = [left.at(-1), right.at(-1)];
  const starts = startA.startsWith(startB) || startB.startsWith(startA);
  const ends = endA.endsWith(endB) || endB.endsWith(endA);
  if (left.length === 1) return a.startsWith(startB) && a.endsWith(endB) ? 'may' : 'never';
  if (right.length === 1) return b.startsWith(startA) && b.endsWith(endA) ? 'may' : 'never';
  return starts && ends ? 'may' : 'never';
}

export function beginsLike(key: string, prefix: string): boolean {
  const [literal = ''] = prefix.split(EXPRESSION);
  const [start = ''] = key.split(EXPRESSION);
  return start.startsWith(literal) || (key !== start && literal.startsWith(start));
}
