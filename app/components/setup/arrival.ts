/** What the code host sent along with somebody who installed the app. */
export type Arrival =
  | { readonly kind: 'installed'; readonly installationId: string; readonly code: string | null }
  /** Somebody asked for it who may not install it themselves. */
  | { readonly kind: 'requested' };

/** In this tab only: the installation is linked by whoever signs in here. */
const KEY = 'chainbreak.arrival';

/**
 * Takes the arrival from the address, where a code has no business to stay, or else the one kept from before a sign-in.
 * Null for a plain visit.
 */
export function takeArrival(): Arrival | null {
  const query = new URLSearchParams(location.search);
  const arrival = read(query);
  if (arrival === null) return recall();
  sessionStorage.setItem(KEY, JSON.stringify(arrival));
  history.replaceState(history.state, '', location.pathname);
  return arrival;
}

export function forgetArrival(): void {
  sessionStorage.removeItem(KEY);
}

function read(query: URLSearchParams): Arrival | null {
  const installationId = query.get('installation_id');
  if (installationId !== null) return { kind: 'installed', installationId, code: query.get('code') };
  return query.get('setup_action') === 'request' ? { kind: 'requested' } : null;
}

function recall(): Arrival | null {
  const kept = sessionStorage.getItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as Arrival);
}
