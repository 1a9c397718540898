'use client';

import { SyncIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { formatNumber } from '../../numbers.ts';
import { useRunningLoops } from '../session/use-loop.ts';
import { Icon } from '../ui/octicon.tsx';

export function RunIndicator() {
  const loops = useRunningLoops();
  return loops.map(({ name, label, href, finished, total }) => (
    <Link
      key={name}
      href={href}
      prefetch={false}
      className="inline-flex min-h-8 items-center gap-2 rounded-control px-2 text-sm whitespace-nowrap text-fg no-underline hover:bg-subtle"
    >
      <Icon of={SyncIcon} className="shrink-0 text-accent motion-safe:animate-spin" />
      <span className="max-sm:sr-only">{label}</span>
      <span className="tabular-nums">{`${formatNumber(finished)} of ${formatNumber(total)}`}</span>
    </Link>
  ));
}
