const KEY = /^sb-.+-auth-token$/;
const CHANGED = 'chainbreak:session';

/** True if this browser keeps a sign-in, which may have ended meanwhile. */
export function hasSession(): boolean {
  return Object.keys(localStorage).some((key) => KEY.test(key));
}

/** Tells the other parts of this page that somebody signed in or out; other tabs hear of the storage. */
export function tellSessionChanged(): void {
  dispatchEvent(new Event(CHANGED));
}

export function noticeSessions(notify: () => void): () => void {
  addEventListener('storage', notify);
  addEventListener(CHANGED, notify);
  return () => {
    removeEventListener('storage', notify);
    removeEventListener(CHANGED, notify);
  };
}
