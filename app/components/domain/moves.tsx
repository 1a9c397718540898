import type { ShownMove } from '#lib/services/pages/tag-moves.ts';
import { formatNumber } from '../../numbers.ts';
import { ActionLink } from './action-link.tsx';
import { ForeignText } from './foreign-text.tsx';
import { Time } from './time.tsx';

interface Props {
  readonly moves: readonly (ShownMove & { readonly owner?: string; readonly name?: string })[];
}

export function Moves({ moves }: Props) {
  return (
    <ol className="divide-y divide-line">
      {moves.map((move) => (
        <li key={`${move.at} ${move.to} ${move.tags.join(' ')}`} className="py-2.5 text-sm first:pt-0 last:pb-0">
          {move.owner !== undefined && move.name !== undefined && (
            <>
              <ActionLink owner={move.owner} name={move.name} className="font-medium" />:{' '}
            </>
          )}
          <Tags tags={move.tags} count={move.count} /> moved{move.back && ' back'}
          {move.from !== null && (
            <>
              {' '}
              from <code>{move.from.slice(0, 7)}</code>
            </>
          )}{' '}
          to <code>{move.to.slice(0, 7)}</code>
          <span className="block text-muted">
            Seen on <Time at={move.at} relative />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Tags({ tags, count }: { readonly tags: readonly string[]; readonly count: number }) {
  return (
    <>
      {tags.map((tag, index) => (
        <span key={tag}>
          {index > 0 && ', '}
          <ForeignText text={tag} className="font-mono text-xs break-all" />
        </span>
      ))}
      {count > tags.length && ` and ${formatNumber(count - tags.length)} more`}
    </>
  );
}
