/** How many items the batch endpoints take at once. */
export const LOT = 500;

/** Splits items into lots of 500, each under a key for a loop. */
export function inLots<Item>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const lots = new Map<string, readonly Item[]>();
  for (let from = 0; from < items.length; from += LOT) lots.set(String(from), items.slice(from, from + LOT));
  return lots;
}
