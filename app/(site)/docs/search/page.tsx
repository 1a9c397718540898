import type { Metadata } from 'next';
import { visible } from '#lib/report/visible.ts';
import { DocNav } from '../../../components/docs/doc-nav.tsx';
import { DocSearch, MAX_QUERY } from '../../../components/docs/doc-search.tsx';
import { searchDocs } from '../../../components/docs/search.ts';
import { Page, PageHeader } from '../../../components/ui/frame.tsx';
import { plural } from '../../../numbers.ts';

export const metadata: Metadata = { title: 'Search the documentation', robots: { index: false } };

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function DocResults({ searchParams }: Props) {
  const { q } = await searchParams;
  const query = (typeof q === 'string' ? q : '').slice(0, MAX_QUERY).trim();
  const found = searchDocs(query);
  return (
    <Page>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <div>
          <DocNav />
        </div>
        <div className="min-w-0">
          <PageHeader title="Search the documentation" />
          <DocSearch query={query} />
          {query !== '' && (
            <p className="mb-4 text-sm text-muted">
              {plural(found.length, { one: '1 result for ', other: '# results for ' })}
              <strong className="font-semibold break-words">{visible(query)}</strong>
            </p>
          )}
          {query !== '' && found.length === 0 && (
            <p>
              No section has all of these words. Try fewer, or{' '}
              <a href="/docs" className="link">
                browse all pages
              </a>
              .
            </p>
          )}
          <ol className="space-y-4">
            {found.map(({ href, page, heading, excerpt }) => (
              <li key={href}>
                <a href={href} className="link font-medium">
                  {heading === '' ? page : `${page}: ${heading}`}
                </a>
                <p className="mt-0.5 text-sm break-words text-muted">{excerpt}</p>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </Page>
  );
}
