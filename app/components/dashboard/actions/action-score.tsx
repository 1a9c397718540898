import { Band } from '../../domain/band.tsx';
import type { UsedAction } from './use-actions.ts';

export function ActionScore({ scored }: Pick<UsedAction, 'scored'>) {
  if (scored === null) {
    return (
      <span className="inline-flex h-7 items-center rounded-control bg-inset px-2.5 text-muted">
        <span aria-hidden="true">–</span>
        <span className="sr-only">No score</span>
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-2.5">
      <Band band={scored.band} />
      <span className="font-medium tabular-nums">{scored.score}</span>
    </span>
  );
}
