import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { findSimilarPages } from '#lib/services/pages/similar-pages.ts';
import { DOC_PAGES } from '../docs/catalog.ts';

const PAGES = [
  { path: '/harden', label: 'Harden a workflow' },
  { path: '/rules', label: 'Rules' },
  { path: '/attack-paths', label: 'Attack paths' },
  { path: '/actions', label: 'Action scores' },
  { path: '/actions/methodology', label: 'How actions are scored' },
  { path: '/problems', label: 'Problems' },
  { path: '/docs', label: 'Documentation' },
  { path: '/docs/api', label: 'API reference' },
  ...DOC_PAGES.map(({ slug, title }) => ({ path: `/docs/${slug}`, label: title })),
];

export async function SimilarPages() {
  const context = pageContext(await headers());
  const pages = await findSimilarPages(context, context.path, PAGES);
  if (pages.length === 0) return null;
  return (
    <section aria-labelledby="similar" className="mt-6">
      <h2 id="similar" className="mb-2 font-semibold">
        Did you mean
      </h2>
      <ul className="space-y-1.5">
        {pages.map(({ path, label }) => (
          <li key={path}>
            <a className="link break-words" href={path}>
              {label}
            </a>{' '}
            <code className="text-xs wrap-anywhere text-muted">{path}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
