const KEY = /^sb-.+-auth-token$/;
const CHANGED = 'chainbreak:session';

export function mayHaveSession(): boolean {
  return Object.keys(localStorage).some((key) => KEY.test(key));
}

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
