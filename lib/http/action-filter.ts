import { ActionSort } from '#lib/db/shapes/actions.ts';
import { ALL_BANDS, type DirectoryFilter } from '#lib/services/pages/action-directory.ts';

type PageQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export const MAX_ACTION_SEARCH = 100;
const MAX_PAGE = 10_000;

const DEFAULTS = { sort: 'score', order: 'asc' } as const;

/** Reads the address of the directory; what it does not understand is listed in `unknown`. */
export function readActionFilter(query: PageQuery): {
  readonly filter: DirectoryFilter;
  readonly unknown: readonly string[];
} {
  const unknown: string[] = [];
  const one = <Value extends string | number>(
    name: string,
    read: (text: string) => Value | undefined,
  ): Value | undefined => {
    const [text] = valuesOf(query[name]);
    if (text === undefined) return undefined;
    const value = read(text);
    if (value === undefined) unknown.push(`${name}=${text.slice(0, MAX_ACTION_SEARCH)}`);
    return value;
  };
  const bands = valuesOf(query['band']).flatMap((text) => {
    const band = ALL_BANDS.find((each) => each === text.toUpperCase());
    if (band === undefined) unknown.push(`band=${text.slice(0, MAX_ACTION_SEARCH)}`);
    return band ?? [];
  });
  const sort = one('sort', (text) => ActionSort.options.find((each) => each === text));
  const order = one('order', (text) => (['asc', 'desc'] as const).find((each) => each === text));
  const page = one('page', (text) => {
    const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= MAX_PAGE ? number : undefined;
  });
  return {
    filter: {
      text: valuesOf(query['q']).join(' ').slice(0, MAX_ACTION_SEARCH).toWellFormed().replaceAll('\0', ''),
      bands: ALL_BANDS.filter((band) => bands.includes(band)),
      sort: sort ?? DEFAULTS.sort,
      descending: (order ?? DEFAULTS.order) === 'desc',
      page: page ?? 1,
    },
    unknown,
  };
}

/** Returns the address of the directory with a filter; defaults are left out. */
export function actionFilterPath({ text, bands, sort, descending, page }: DirectoryFilter): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  for (const band of bands) query.append('band', band);
  if (sort !== DEFAULTS.sort) query.set('sort', sort);
  if (descending) query.set('order', 'desc');
  if (page > 1) query.set('page', String(page));
  const written = query.toString();
  return written === '' ? '/actions' : `/actions?${written}`;
}

function valuesOf(value: PageQuery[string]): string[] {
  const values = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return values.map((text) => text.trim()).filter((text) => text !== '');
}
