import { Skeleton } from '../../ui/skeleton.tsx';
import { isBusy, refusedBy } from '../request.ts';

export function WaitingForPaths({ reason, lines }: { readonly reason: unknown; readonly lines: number }) {
  return (
    <>
      {isBusy(reason) && (
        <p role="status" className="mb-3 text-sm text-muted">
          {refusedBy(reason).detail}
        </p>
      )}
      <Skeleton lines={lines} />
    </>
  );
}
