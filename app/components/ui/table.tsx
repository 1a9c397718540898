import { clsx } from 'clsx';
import type { ComponentProps } from 'react';
import { ScrollRegion } from './scroll-region.tsx';

export function Table({
  caption,
  children,
}: {
  readonly caption: string;
  readonly children: ComponentProps<'table'>['children'];
}) {
  return (
    <ScrollRegion as="section" label={caption} className="overflow-x-auto rounded-panel border border-line">
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </ScrollRegion>
  );
}

export function HeaderCell({ className, scope = 'col', ...rest }: ComponentProps<'th'>) {
  const column = scope === 'col' && 'bg-subtle text-xs font-semibold text-muted';
  return <th scope={scope} className={clsx('px-4 py-2.5 font-medium', column, className)} {...rest} />;
}

export function Cell({ className, ...rest }: ComponentProps<'td'>) {
  return <td className={clsx('px-4 py-2.5 align-top', className)} {...rest} />;
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr className={clsx('border-t border-line', className)} {...rest} />;
}
