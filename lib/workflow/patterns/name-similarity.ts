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
