export type Arrival =
  | {
      readonly kind: 'installed';
      readonly installationId: string;
      readonly code: string | null;
      readonly state: string | null;
    }
  | { readonly kind: 'requested' };

export type Installed = Extract<Arrival, { kind: 'installed' }>;

const KEY = 'chainbreak.arrival';

/** Removes the code from the URL; after a sign-in it recalls the stored arrival. */
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
  if (installationId !== null) {
    return { kind: 'installed', installationId, code: query.get('code'), state: query.get('state') };
  }
  return query.get('setup_action') === 'request' ? { kind: 'requested' } : null;
}

function recall(): Arrival | null {
  const kept = sessionStorage.getItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as Arrival);
}
