import { clsx } from 'clsx';
import { DOC_GROUPS } from './catalog.ts';

export function DocNav({ slug }: { readonly slug?: string }) {
  return (
    <>
      <details className="mb-6 rounded-panel border border-line lg:hidden">
        <summary className="cursor-pointer rounded-panel px-4 py-2.5 text-sm font-medium hover:bg-subtle">
          All pages of the documentation
        </summary>
        <nav aria-label="Documentation" className="border-t border-line p-4">
          <Groups slug={slug} />
        </nav>
      </details>
      <nav aria-label="Documentation" className="max-lg:hidden">
        <Groups slug={slug} />
      </nav>
    </>
  );
}

function Groups({ slug }: { readonly slug: string | undefined }) {
  return DOC_GROUPS.map(({ name, pages, links = [] }) => (
    <div key={name} className="mb-5">
      <p className="mb-1 text-sm font-semibold">{name}</p>
      <ul className="text-sm">
        {[...pages.map((page) => ({ href: `/docs/${page.slug}`, label: page.title })), ...links].map(
          ({ href, label }) => {
            const here = href === `/docs/${slug}`;
            return (
              <li key={href}>
                <a
                  href={href}
                  aria-current={here ? 'page' : undefined}
                  className={clsx(
                    'block border-s-2 py-1 ps-3 no-underline hover:underline',
                    here ? 'border-accent font-semibold text-fg' : 'border-line text-muted hover:text-fg',
                  )}
                >
                  {label}
                </a>
              </li>
            );
          },
        )}
      </ul>
    </div>
  ));
}
