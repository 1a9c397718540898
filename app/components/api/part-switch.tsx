import { clsx } from 'clsx';

export const PARTS = {
  public: { path: '/openapi.json', href: '/docs/api', label: 'Public' },
  full: { path: '/openapi.full.json', href: '/docs/api?part=full', label: 'Full API' },
} as const;

export type PartName = keyof typeof PARTS;

export function PartSwitch({ current }: { readonly current: PartName }) {
  return (
    <nav aria-label="Part of the API" className="mb-8 border-b border-line">
      <ul className="flex gap-6">
        {Object.entries(PARTS).map(([name, { href, label }]) => (
          <li key={name}>
            <a
              href={href}
              aria-current={name === current ? 'page' : undefined}
              className={clsx(
                '-mb-px inline-block border-b-2 py-2 text-sm no-underline',
                name === current
                  ? 'border-accent font-semibold text-fg'
                  : 'border-transparent text-muted hover:text-fg hover:underline',
              )}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
