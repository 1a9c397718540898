'use client';

import { ArrowLeftIcon, ArrowRightIcon } from '@primer/octicons-react';
import { useRef, useState } from 'react';
import { useHotkeys } from 'react-hotkeys-hook';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { useShortcuts } from '../shortcuts.ts';
import type { Filters, FindingKey, View } from './filters.ts';
import { isTopmost } from './finding-decision.tsx';
import { LazyFindingView } from './lazy-finding-view.tsx';
import { type FindingRow, useFindings } from './use-findings.ts';

interface Props {
  readonly filters: Filters;
  readonly view: View;
  readonly grouped: boolean;
  readonly onOpen: (key: FindingKey) => void;
  readonly onClose: () => void;
}

export function FindingDrawer({ filters, view: { f: key, sort, page }, grouped, onOpen, onClose }: Props) {
  const { data: rows } = useFindings(filters, sort, Math.max(1, page), key !== null && !grouped);
  // A finding that was decided on leaves the list; the ones beside it stay beside it.
  const [known, setKnown] = useState<readonly FindingRow[]>([]);
  if (key !== null && rows !== undefined && rows !== known && indexOf(rows, key) !== -1) setKnown(rows);
  const at = key === null ? -1 : indexOf(known, key);
  return (
    <Dialog open={key !== null} title="Finding" shape="side" onClose={onClose}>
      {at !== -1 && <Neighbours rows={known} at={at} onOpen={onOpen} />}
      {key !== null && <LazyFindingView {...key} inDrawer />}
    </Dialog>
  );
}

function indexOf(rows: readonly FindingRow[], { repoId, fingerprint }: FindingKey): number {
  return rows.findIndex((row) => row.repo_id === repoId && row.fingerprint === fingerprint);
}

interface NeighboursProps {
  readonly rows: readonly FindingRow[];
  readonly at: number;
  readonly onOpen: (key: FindingKey) => void;
}

function Neighbours({ rows, at, onOpen }: NeighboursProps) {
  const shortcuts = useShortcuts();
  const nav = useRef<HTMLElement>(null);
  const open = (row: FindingRow | undefined) => {
    if (row !== undefined) onOpen({ repoId: row.repo_id, fingerprint: row.fingerprint });
  };
  useHotkeys(
    ['[', ']'],
    ({ key }) => {
      if (isTopmost(nav.current)) open(rows[key === '[' ? at - 1 : at + 1]);
    },
    { enabled: shortcuts, useKey: true },
    [rows, at, onOpen],
  );
  if (rows.length < 2) return null;
  return (
    <nav ref={nav} aria-label="Findings of this page" className="mb-4 flex flex-wrap items-center gap-2 text-sm">
      <Button className="min-h-8 px-3" disabled={at === 0} onClick={() => open(rows[at - 1])}>
        <Icon of={ArrowLeftIcon} />
        Previous
        {shortcuts && <kbd className="text-xs text-muted max-md:hidden">[</kbd>}
      </Button>
      <Button className="min-h-8 px-3" disabled={at === rows.length - 1} onClick={() => open(rows[at + 1])}>
        Next
        <Icon of={ArrowRightIcon} />
        {shortcuts && <kbd className="text-xs text-muted max-md:hidden">]</kbd>}
      </Button>
      <span className="text-muted tabular-nums">{`${at + 1} of ${rows.length} on this page`}</span>
    </nav>
  );
}
