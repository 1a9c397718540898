const KEY = 'chainbreak.reasons';
const MOST = 5;

export function lastReasons(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function keepReason(reason: string): void {
  const others = lastReasons().filter((each) => each !== reason);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([reason, ...others].slice(0, MOST)));
  } catch {
    // If the storage is full, nothing is offered next time.
  }
}
