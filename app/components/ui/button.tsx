import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

type Variant = 'primary' | 'secondary';

export function buttonClass(variant: Variant, className?: string): string {
  return clsx(
    'inline-flex min-h-10 cursor-pointer items-center justify-center gap-2 rounded-control border px-4 text-sm font-medium no-underline',
    'aria-pressed:border-accent aria-pressed:bg-subtle aria-pressed:text-accent',
    'disabled:cursor-default disabled:opacity-70 aria-disabled:cursor-default aria-disabled:opacity-70',
    variant === 'primary'
      ? 'border-accent bg-accent text-on-accent hover:border-accent-strong hover:bg-accent-strong'
      : 'border-control bg-page text-fg hover:bg-subtle',
    className,
  );
}

export function Button({
  variant = 'secondary',
  className,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { readonly variant?: Variant }) {
  return <button type={type} className={buttonClass(variant, className)} {...rest} />;
}
