const KEY = 'chainbreak.next';
const KNOWN = /^\/(?:o|account|invites|setup)(?:[/?#]|$)/;
const DEFAULT = '/o';

/** Returns `next` if it is a page for signed-in users of this site, else the page that leads to the last organization. */
export function safeNext(next: string | null): string {
  return next !== null && KNOWN.test(next) && !hasOddCharacter(next) ? next : DEFAULT;
}

/** Browsers read a backslash as a slash and drop tabs and line breaks. */
function hasOddCharacter(text: string): boolean {
  return /[\\\u0000-\u0020]/.test(text);
}

/** Stores where the sign-in leads. It leaves this site in between. */
export function storeNext(next: string): void {
  sessionStorage.setItem(KEY, safeNext(next));
}

/** Returns where the sign-in leads, and keeps it for another attempt. */
export function readNext(): string {
  return safeNext(sessionStorage.getItem(KEY));
}

export function takeNext(): string {
  const next = readNext();
  sessionStorage.removeItem(KEY);
  return next;
}
