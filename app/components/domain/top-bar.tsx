import { clsx } from 'clsx';
import { SITE } from '../../messages.ts';
import { Logo } from './logo.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  { href: '/harden', label: 'Harden', onPhone: true },
  { href: '/rules', label: 'Rules', onPhone: true },
  { href: '/combinations', label: 'Attack paths', onPhone: false },
  { href: '/actions', label: 'Actions', onPhone: true },
  { href: '/docs/api', label: 'API', onPhone: false },
] as const;

export function TopBar() {
  return (
    <header className="border-b border-line bg-page">
      <div className="mx-auto flex h-14 max-w-5xl items-center gap-1 px-4 sm:gap-4 sm:px-6">
        <a
          href="/"
          className="me-auto inline-flex items-center gap-2 py-1 font-semibold text-fg no-underline hover:underline"
        >
          <span className="text-accent">
            <Logo />
          </span>
          <span className="sr-only sm:not-sr-only">{SITE.name}</span>
        </a>
        <nav aria-label="Main">
          <ul className="flex">
            {LINKS.map(({ href, label, onPhone }) => (
              <li key={href} className={clsx(!onPhone && 'max-sm:hidden')}>
                <a
                  href={href}
                  className="inline-block px-2.5 py-2 text-sm text-fg no-underline hover:underline sm:px-3"
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <a
          href="/o"
          className="inline-block px-2.5 py-2 text-sm font-semibold text-fg no-underline hover:underline sm:px-3"
        >
          Sign in
        </a>
        <ThemeSwitch />
      </div>
    </header>
  );
}
