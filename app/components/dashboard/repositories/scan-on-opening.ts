const asked = new Set<string>();
const listeners = new Set<() => void>();

/** Kept in memory, since a link that starts a scan could be sent to people. */
export function askForScanOfAll(orgId: string): void {
  asked.add(orgId);
  for (const listener of listeners) listener();
}

export function onScanOfAll(orgId: string, start: () => void): () => void {
  const take = () => {
    if (asked.delete(orgId)) start();
  };
  take();
  listeners.add(take);
  return () => listeners.delete(take);
}
