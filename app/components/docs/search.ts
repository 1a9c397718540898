import MiniSearch from 'minisearch';
import { DOC_PAGES } from './catalog.ts';

export interface Found {
  readonly href: string;
  readonly page: string;
  readonly heading: string;
  readonly excerpt: string;
}

interface Indexed extends Found {
  readonly id: number;
  readonly text: string;
}

const MAX_FOUND = 20;
const EXCERPT = 180;

const parts: readonly Indexed[] = DOC_PAGES.flatMap(({ slug, title, parts: own }) =>
  own.map(({ id, heading, text }) => ({
    href: `/docs/${slug}${id === '' ? '' : `#${id}`}`,
    page: title,
    heading,
    text,
    excerpt: text.length > EXCERPT ? `${text.slice(0, EXCERPT).replace(/\s\S*$/, '')} …` : text,
  })),
).map((part, id) => ({ ...part, id }));

const index = new MiniSearch<Indexed>({
  fields: ['heading', 'page', 'text'],
  searchOptions: { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.1, combineWith: 'AND' },
});
index.addAll(parts);

export function searchDocs(query: string): readonly Found[] {
  return index
    .search(query)
    .slice(0, MAX_FOUND)
    .flatMap(({ id }) => parts[Number(id)] ?? []);
}
