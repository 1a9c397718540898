import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { SITE } from '../../site.ts';
import { SignInLink } from '../session/sign-in-link.tsx';
import { Logo } from './logo.tsx';
import { NavLinks } from './nav-links.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  { href: '/harden', label: 'Harden' },
  { href: '/rules', label: 'Rules' },
  { href: '/attack-paths', label: 'Attack paths' },
  { href: '/actions', label: 'Actions' },
  { href: '/docs', label: 'Docs' },
] as const;

export async function TopBar() {
  const { path } = pageContext(await headers());
  return (
    <header className="border-b border-line bg-page print:hidden">
      <div className="mx-auto flex min-h-14 max-w-5xl flex-wrap items-center [reading-flow:flex-visual] gap-x-1 px-4 sm:gap-x-4 sm:px-6">
        <a
          href="/"
          className="me-auto inline-flex min-h-14 items-center gap-2 py-1 font-semibold text-fg no-underline hover:underline sm:min-h-0"
        >
          <span className="text-accent">
            <Logo />
          </span>
          {SITE.name}
        </a>
        <nav aria-label="Main" className="max-sm:order-last max-sm:-mx-2 max-sm:w-full max-sm:pb-1">
          <NavLinks path={path} links={LINKS} />
        </nav>
        <SignInLink />
        <ThemeSwitch />
      </div>
    </header>
  );
}
