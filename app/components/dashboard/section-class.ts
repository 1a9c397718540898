import { clsx } from 'clsx';

export function sectionClass(isCurrent: boolean): string {
  return clsx(
    'flex min-h-9 items-center gap-2 px-4 text-sm text-fg no-underline',
    isCurrent && 'border-s-2 border-accent bg-subtle ps-3.5 font-semibold',
  );
}
