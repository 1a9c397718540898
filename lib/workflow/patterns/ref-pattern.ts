const MAX_LENGTH = 300;

/**
 * True if a ruleset pattern matches a ref. `*` excludes slashes, `**` matches anything, `?` one character, `~ALL` every
 * ref. Costs pattern length times name length.
 */
export function matchesRef(pattern: string, ref: string): boolean {
  if (pattern === '~ALL') return true;
  if (pattern.length > MAX_LENGTH || ref.length > MAX_LENGTH) return false;
  let reached = new Set([0]);
  for (let at = 0; at < pattern.length && reached.size > 0; at += 1) {
    const sign = pattern[at] ?? '';
    const next = new Set<number>();
    if (sign === '*') {
      const crosses = pattern[at + 1] === '*';
      if (crosses) at += 1;
      let open = false;
      for (let length = 0; length <= ref.length; length += 1) {
        if (length > 0 && ref[length - 1] === '/' && !crosses) open = false;
        open ||= reached.has(length);
        if (open) next.add(length);
      }
    } else {
      for (const length of reached) {
        const character = ref[length];
        if (character !== undefined && (sign === '?' ? character !== '/' : character === sign)) next.add(length + 1);
      }
    }
    reached = next;
  }
  return reached.has(ref.length);
}
