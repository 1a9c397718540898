/** True if two names differ by one insertion, deletion, replacement or transposition. Linear time. */
export function isOneEditApart(a: string, b: string): boolean {
  if (a === b) return false;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  const replaced = short.slice(at + 1) === long.slice(at + 1);
  const swapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
  return replaced || swapped;
}

const LOOKALIKES: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', i: 'l', '5': 's', rn: 'm', vv: 'w' };

export function confusableSkeleton(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_.]/g, '')
    .replace(/rn|vv|[01i5]/g, (match) => LOOKALIKES[match] ?? match);
}

/**
 * Returns the similarity of two names, from 0 to 1: the share of their pairs of neighbouring letters that both have.
 */
export function likeness(a: string, b: string): number {
  const [first, second] = [pairsOf(a), pairsOf(b)];
  let shared = 0;
  for (const pair of first) if (second.has(pair)) shared += 1;
  return (2 * shared) / (first.size + second.size || 1);
}

function pairsOf(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
}
