const NUMBER = new Intl.NumberFormat('en');
const PLURAL = new Intl.PluralRules('en');

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

export function plural(value: number, forms: { readonly one: string; readonly other: string }): string {
  return forms[PLURAL.select(value) === 'one' ? 'one' : 'other'].replace('#', formatNumber(value));
}

const MAX_SECONDS = 120;

export function formatWait(seconds: number): string {
  return seconds <= MAX_SECONDS
    ? plural(seconds, { one: '1 second', other: '# seconds' })
    : plural(Math.ceil(seconds / 60), { one: '1 minute', other: '# minutes' });
}

export function tryAgain(seconds: number | undefined): string {
  return `Try again in ${seconds === undefined ? 'a few minutes' : formatWait(seconds)}.`;
}
