const asked = new Set<string>();
const listeners = new Set<() => void>();

/**
 * Makes the page of repositories scan all of them, now or when it opens. A link that did so could be sent to people.
 */
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
