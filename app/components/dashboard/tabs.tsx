'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { useOrg } from './context.tsx';
import { orgLink } from './links.ts';

interface Props<Tab extends string> {
  readonly label: string;
  readonly path: string;
  readonly tabs: Readonly<Record<Tab, string>>;
  readonly current: Tab;
}

export function Tabs<Tab extends string>({ label, path, tabs, current }: Props<Tab>) {
  const org = useOrg();
  return (
    <nav aria-label={label} className="mb-6 border-b border-line">
      <ul className="flex flex-wrap gap-x-5 text-sm">
        {(Object.entries(tabs) as [Tab, string][]).map(([tab, text]) => (
          <li key={tab}>
            <Link
              href={orgLink(org.id, path, { tab })}
              prefetch={false}
              aria-current={tab === current ? 'page' : undefined}
              className={clsx(
                'inline-flex min-h-9 items-center border-b-2 no-underline',
                tab === current ? 'border-accent font-semibold text-fg' : 'border-transparent text-muted hover:text-fg',
              )}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
