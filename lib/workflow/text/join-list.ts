/** Joins names for a sentence: `a`, `a and b`, `a, b and c`, `a, b and 2 more`. */
export function joinList(items: readonly string[]): string {
  if (items.length <= 1) return items[0] ?? '';
  if (items.length <= 3) return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
  return joinFirst(items, 2);
}

/** Joins the first names and counts the others: `a, b, c and 2 more`. */
export function joinFirst(items: readonly string[], count: number): string {
  const shown = items.slice(0, count).join(', ');
  return items.length > count ? `${shown} and ${items.length - count} more` : shown;
}
