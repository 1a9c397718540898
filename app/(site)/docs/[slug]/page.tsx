import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { DOC_PAGES, type DocPage } from '../../../components/docs/catalog.ts';
import { DocBody } from '../../../components/docs/doc-body.tsx';
import { DocNav } from '../../../components/docs/doc-nav.tsx';
import { DocSearch } from '../../../components/docs/doc-search.tsx';
import { Neighbours } from '../../../components/domain/neighbours.tsx';
import { Page, PageHeader } from '../../../components/ui/frame.tsx';

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const page = DOC_PAGES.find((each) => each.slug === slug);
  if (page === undefined) return {};
  const { title, summary } = page;
  const description = summary.slice(0, 300);
  return { title, description, alternates: { canonical: `/docs/${slug}` } };
}

export default async function Doc({ params }: Props) {
  const { slug } = await params;
  const at = DOC_PAGES.findIndex((each) => each.slug === slug);
  const page = DOC_PAGES[at];
  if (page === undefined) notFound();
  return (
    <Page>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <div>
          <DocSearch />
          <DocNav slug={slug} />
        </div>
        <div className="min-w-0">
          <PageHeader title={page.title} />
          <Contents headings={page.headings} />
          <DocBody tree={page.tree} />
          <Neighbours
            folder="/docs"
            list="All pages"
            label="Other pages of the documentation"
            previous={neighbour(DOC_PAGES[at - 1])}
            next={neighbour(DOC_PAGES[at + 1])}
          />
        </div>
      </div>
    </Page>
  );
}

function Contents({ headings }: Pick<DocPage, 'headings'>) {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 3) return null;
  return (
    <nav aria-label="On this page" className="mb-6 rounded-panel border border-line bg-subtle px-4 py-3 text-sm">
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {shown.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`} className="link inline-block py-0.5">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function neighbour(page: DocPage | undefined) {
  return page === undefined ? undefined : { id: page.slug, title: page.title };
}
