const KEY = 'chainbreak.next';
const KNOWN = /^\/(?:o|account|invites|setup)(?:[/?#]|$)/;
const DEFAULT = '/o';

export function safeNext(next: string | null): string {
  return next !== null && KNOWN.test(next) && !hasOddCharacter(next) ? next : DEFAULT;
}

/** Browsers read a backslash as a slash and drop tabs and line breaks. */
function hasOddCharacter(text: string): boolean {
  return /[\\\u0000-\u0020]/.test(text);
}

export function storeNext(next: string): void {
  sessionStorage.setItem(KEY, safeNext(next));
}

export function readNext(): string {
  return safeNext(sessionStorage.getItem(KEY));
}

export function takeNext(): string {
  const next = readNext();
  sessionStorage.removeItem(KEY);
  return next;
}
