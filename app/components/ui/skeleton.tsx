import { clsx } from 'clsx';

export function Skeleton({ lines = 3, className }: { readonly lines?: number; readonly className?: string }) {
  return (
    <div aria-hidden="true" className={clsx('space-y-3', className)}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={clsx('h-5 rounded-control bg-inset', index % 3 === 2 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  );
}
