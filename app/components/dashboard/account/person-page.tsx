'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { DashboardHeader } from '../page-header.tsx';
import { Plain } from '../shell.tsx';

const PAGES = [
  { path: '/account', label: 'Account' },
  { path: '/account/notifications', label: 'Notifications' },
  { path: '/invites', label: 'Invites' },
] as const;

export function PersonPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const pathname = usePathname();
  return (
    <Plain>
      <nav aria-label="Your pages" className="mb-6">
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
          {PAGES.map(({ path, label }) => (
            <li key={path}>
              <Link
                href={path}
                prefetch={false}
                aria-current={pathname === path ? 'page' : undefined}
                className={clsx(
                  'inline-flex min-h-8 items-center border-b-2 no-underline',
                  pathname === path
                    ? 'border-accent font-semibold text-fg'
                    : 'border-transparent text-muted hover:text-fg',
                )}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <DashboardHeader title={title} />
      {children}
    </Plain>
  );
}
