import { version } from '../../../package.json';
import { SITE } from '../../messages.ts';

const LINKS = [
  { href: '/harden', label: 'Harden a workflow' },
  { href: '/rules', label: 'Rules' },
  { href: '/combinations', label: 'Attack paths' },
  { href: '/actions', label: 'Actions' },
  { href: '/docs/api', label: 'API reference' },
  { href: '/openapi.json', label: 'OpenAPI' },
  { href: '/problems', label: 'Problems' },
] as const;

export function Footer() {
  return (
    <footer className="mt-16 border-t border-line bg-subtle">
      <div className="mx-auto flex max-w-5xl flex-wrap items-center gap-x-6 gap-y-2 px-4 py-6 text-sm text-muted sm:px-6">
        <p className="me-auto">
          {SITE.name} {version}
        </p>
        <nav aria-label="More">
          <ul className="flex flex-wrap gap-x-5 gap-y-1">
            {LINKS.map(({ href, label }) => (
              <li key={href}>
                <a href={href} className="inline-block py-1 text-muted no-underline hover:text-fg hover:underline">
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
