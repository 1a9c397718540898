import type { Metadata } from 'next';
import { DOC_GROUPS } from '../../components/docs/catalog.ts';
import { DocSearch } from '../../components/docs/doc-search.tsx';
import { Page, PageHeader, Section } from '../../components/ui/frame.tsx';

export const metadata: Metadata = {
  title: 'Documentation',
  description:
    'Install Chainbreak, scan a repository, use it in CI, configure it, run the service, call its API, and see how its precision is measured.',
  alternates: { canonical: '/docs' },
};

export default function DocList() {
  return (
    <Page>
      <PageHeader title="Documentation">
        <p>How to install Chainbreak, scan with it, use it in CI and run the service.</p>
      </PageHeader>
      <div className="max-w-xl">
        <DocSearch />
      </div>
      {DOC_GROUPS.map(({ name, pages, links = [] }) => (
        <Section key={name} id={name.toLowerCase().replaceAll(' ', '-')} title={name} className="mt-8">
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {pages.map(({ slug, title, summary }) => (
              <li key={slug} className="rounded-panel border border-line p-4">
                <h3 className="font-semibold">
                  <a href={`/docs/${slug}`} className="link text-fg">
                    {title}
                  </a>
                </h3>
                <p className="mt-1 line-clamp-3 text-sm text-muted">{summary}</p>
              </li>
            ))}
          </ul>
          {links.length > 0 && (
            <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">
              {links.map(({ href, label }) => (
                <li key={href}>
                  <a href={href} className="link inline-block py-1">
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </Section>
      ))}
    </Page>
  );
}
