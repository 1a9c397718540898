export const LOT = 500;

export function inLots<Item>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const lots = new Map<string, readonly Item[]>();
  for (let from = 0; from < items.length; from += LOT) lots.set(String(from), items.slice(from, from + LOT));
  return lots;
}
