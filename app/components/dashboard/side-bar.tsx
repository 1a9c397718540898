'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useOrg } from './context.tsx';
import { orgLink, SECTIONS, sectionOf } from './links.ts';

export function SideBar() {
  const { id } = useOrg();
  const current = sectionOf(usePathname());
  return (
    <nav aria-label="Organization" className="py-3 md:sticky md:top-14">
      <ul>
        {SECTIONS.map(({ path, label }) => (
          <li key={path}>
            <Link
              href={orgLink(id, path)}
              prefetch={false}
              aria-current={path === current ? 'page' : undefined}
              className={clsx(
                'flex min-h-9 items-center gap-2 px-4 text-sm no-underline hover:bg-subtle',
                path === current ? 'border-s-2 border-accent bg-subtle ps-3.5 font-semibold text-fg' : 'text-fg',
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
