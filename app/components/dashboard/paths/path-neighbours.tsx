'use client';

import { ArrowLeftIcon, ArrowRightIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { useHotkeys } from 'react-hotkeys-hook';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { useShortcuts } from '../shortcuts.ts';
import { usePush } from '../use-push.ts';
import { keyFinding } from './use-paths.ts';

interface Props {
  readonly path: AttackPath;
  readonly paths: readonly AttackPath[];
  readonly repoId: string;
}

export function PathNeighbours({ path, paths, repoId }: Props) {
  const org = useOrg();
  const push = usePush();
  const shortcuts = useShortcuts();
  const at = paths.indexOf(path);
  const addressOf = (other: AttackPath | undefined) =>
    other && orgLink(org.id, `paths/${repoId}/${other.id}`, { f: keyFinding(other) });
  const [previous, next] = [paths[at - 1], paths[at + 1]];
  const [before, after] = [addressOf(previous), addressOf(next)];
  useHotkeys(
    ['[', ']'],
    ({ key }) => {
      const address = key === '[' ? before : after;
      if (address !== undefined) push(address);
    },
    { enabled: shortcuts, useKey: true },
    [before, after, push],
  );
  if (paths.length < 2) return null;
  return (
    <nav
      aria-label="Paths of this repository"
      className="mt-8 grid gap-4 border-t border-line pt-4 text-sm sm:grid-cols-2"
    >
      <p>
        {before !== undefined && (
          <Link href={before} prefetch={false} rel="prev" className="link inline-flex items-start gap-2 py-1">
            <Icon of={ArrowLeftIcon} className="mt-[3px] shrink-0" />
            <span>
              <span className="sr-only">Previous: </span>
              {previous?.title}
            </span>
          </Link>
        )}
      </p>
      <p className="sm:text-end">
        {after !== undefined && (
          <Link href={after} prefetch={false} rel="next" className="link inline-flex items-start gap-2 py-1">
            <span>
              <span className="sr-only">Next: </span>
              {next?.title}
            </span>
            <Icon of={ArrowRightIcon} className="mt-[3px] shrink-0" />
          </Link>
        )}
      </p>
    </nav>
  );
}
