'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef } from 'react';

const PAUSE_MS = 250;

export function LiveForm({
  action,
  label,
  className,
  children,
}: {
  readonly action: string;
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}) {
  const router = useRouter();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <form
      method="get"
      action={action}
      role="search"
      aria-label={label}
      className={className}
      onSubmit={() => clearTimeout(timer.current)}
      onInput={({ currentTarget }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          const query = new URLSearchParams();
          for (const [name, value] of new FormData(currentTarget))
            if (typeof value === 'string' && value !== '') query.append(name, value);
          router.replace(query.size === 0 ? action : `${action}?${query.toString()}`, { scroll: false });
        }, PAUSE_MS);
      }}
    >
      {children}
    </form>
  );
}
