'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';

const SHOWN = 5;
const MORE = 50;

interface Props {
  readonly list: AttackPathList;
  readonly ends?: number;
}

export function FixFirst({ list: { fix_first: fixes, repos, total_combos: total }, ends = total }: Props) {
  const org = useOrg();
  const [shown, setShown] = useState(SHOWN);
  if (fixes.length === 0) return null;
  const names = new Map(repos.map(({ repo_id, full_name }) => [repo_id, full_name]));
  const rest = fixes.length - shown;
  return (
    <Panel className="mb-6">
      <h2 className="font-semibold">Fix first</h2>
      <p className="text-sm text-muted">
        {plural(fixes.length, { one: 'This fix breaks', other: 'These # fixes break' })}{' '}
        {ends < total
          ? plural(ends, { one: 'the worst attack path', other: 'the # worst attack paths' })
          : 'every attack path'}{' '}
        that a change to the repositories can break.
      </p>
      <ol className="mt-2 list-decimal space-y-1 ps-5 text-sm">
        {fixes.slice(0, shown).map(({ fingerprint, rule_id, repo_id, file, line, breaks }) => (
          <li key={`${repo_id} ${fingerprint}`}>
            <Link href={orgLink(org.id, `findings/${repo_id}/${fingerprint}`)} prefetch={false} className="link">
              {rule_id}
            </Link>{' '}
            in {visible(names.get(repo_id) ?? '')}
            {file !== null && (
              <code className="wrap-anywhere">{` ${visible(file)}${line === null ? '' : `:${line}`}`}</code>
            )}
            <span className="text-muted">
              {breaks > 0
                ? plural(breaks, { one: ': breaks 1 path on its own', other: ': breaks # paths on its own' })
                : ': breaks a path together with others'}
            </span>
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <Button className="mt-3 min-h-8 px-3" onClick={() => setShown(shown + MORE)}>
          {rest > MORE ? `Show ${MORE} of ${formatNumber(rest)} more` : `Show ${formatNumber(rest)} more`}
        </Button>
      )}
    </Panel>
  );
}
