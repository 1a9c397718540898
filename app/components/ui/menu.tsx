'use client';

import { Menu as Base } from '@base-ui/react/menu';
import { TriangleDownIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Icon } from './octicon.tsx';

interface Props {
  /** Accessible name of the button, when `trigger` shows less than it does. */
  readonly label?: string;
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly className?: string;
}

const ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2 px-3 py-1.5 text-start text-sm text-fg no-underline outline-none data-highlighted:bg-inset';

export function Menu({ label, trigger, children, align = 'start', className }: Props) {
  return (
    <Base.Root>
      <Base.Trigger
        aria-label={label}
        className={clsx(
          'inline-flex min-h-9 min-w-0 cursor-pointer items-center gap-1.5 rounded-control border border-transparent px-2 text-sm text-fg hover:bg-subtle data-popup-open:bg-subtle',
          className,
        )}
      >
        {trigger}
        <Icon of={TriangleDownIcon} className="shrink-0 text-muted" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-20 outline-none">
          <Base.Popup className="max-h-[min(70vh,28rem)] w-64 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-panel border border-line bg-page py-1 shadow-lg outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({
  children,
  onPress,
  checked,
}: {
  readonly children: ReactNode;
  readonly onPress: () => void;
  /** Marks the current one of a choice. */
  readonly checked?: boolean;
}) {
  return (
    <Base.Item className={clsx(ITEM, checked === true && 'font-semibold')} onClick={onPress}>
      {children}
    </Base.Item>
  );
}

export function MenuGroup({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-3 pt-2 pb-1 text-xs font-semibold text-muted">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}
