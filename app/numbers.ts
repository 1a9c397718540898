const NUMBER = new Intl.NumberFormat('en');
const PLURAL = new Intl.PluralRules('en');

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

export function plural(value: number, forms: { readonly one: string; readonly other: string }): string {
  return forms[PLURAL.select(value) === 'one' ? 'one' : 'other'].replace('#', formatNumber(value));
}
