export function difference(a: unknown, b: unknown, path = 'value'): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (a instanceof Map && b instanceof Map) return difference([...a], [...b], path);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return `${path}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`;
  }
  const [left, right] = [Object.entries(a), b as Record<string, unknown>];
  if (left.length !== Object.keys(right).length) return `${path}: other properties`;
  for (const [name, value] of left) {
    const found = difference(value, right[name], `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
