'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { formatNumber } from '../../numbers.ts';
import { total } from './charts/steps.ts';
import { useOrg } from './context.tsx';
import { useOpenCounts } from './findings/use-findings.ts';
import { orgLink, SECTIONS, sectionOf } from './links.ts';
import { usePathCount } from './paths/use-paths.ts';
import { sectionClass } from './section-class.ts';

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
              className={clsx(sectionClass(path === current), 'hover:bg-subtle')}
            >
              {label}
              <Count of={path} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Count({ of: path }: { readonly of: string }) {
  if (path === 'paths') return <PathCount />;
  return path === 'findings' ? <FindingCount /> : null;
}

function PathCount() {
  return <Number value={usePathCount()} />;
}

function FindingCount() {
  const { data } = useOpenCounts();
  return <Number value={data && total(data)} />;
}

function Number({ value }: { readonly value: number | undefined }) {
  // Also nothing while no repository was scanned, when a zero would say that all is well.
  if (value === undefined || value === 0) return null;
  return <span className="ms-auto text-xs font-normal text-muted tabular-nums">{formatNumber(value)}</span>;
}
