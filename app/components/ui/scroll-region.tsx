'use client';

import { clsx } from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  readonly as: 'pre' | 'section';
  readonly label: string;
  /** A landmark needs a name of its own on the page; a group does not. */
  readonly group?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

/**
 * A box that scrolls sideways: a stop of the Tab key while there is something to scroll to. It is `relative`, else texts for
 * screen readers inside would widen the page.
 */
export function ScrollRegion({ as: Tag, label, group = false, className, children }: Props) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute('tabindex');
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <Tag
      ref={box as never}
      role={group ? 'group' : Tag === 'pre' ? 'region' : undefined}
      tabIndex={0}
      aria-label={label}
      className={clsx('relative', className)}
    >
      {children}
    </Tag>
  );
}
