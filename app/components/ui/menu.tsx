'use client';

import { TriangleDownIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import { type ReactNode, use, useState } from 'react';
import { MenuParts, type MenuProps, TRIGGER } from './menu-parts.ts';
import { Icon } from './octicon.tsx';
import { useLazy } from './use-lazy.ts';

const ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2 px-3 py-1.5 text-start text-sm text-fg no-underline outline-none data-highlighted:bg-inset';

const readPopup = () => import('./menu-popup.tsx').then(({ MenuPopup }) => MenuPopup);

export function Menu({ label, trigger, className, ...rest }: MenuProps) {
  const [Popup, load] = useLazy(readPopup);
  const [pressed, setPressed] = useState(false);
  if (pressed && Popup !== null) return <Popup label={label} trigger={trigger} className={className} {...rest} />;
  const open = () => {
    setPressed(true);
    load();
  };
  return (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      className={clsx(TRIGGER, className)}
      onClick={open}
      onKeyDown={({ key }) => {
        if (key === 'ArrowDown' || key === 'ArrowUp') open();
      }}
    >
      {trigger}
      <Icon of={TriangleDownIcon} className="shrink-0 text-muted" />
    </button>
  );
}

function useParts() {
  const parts = use(MenuParts);
  if (parts === null) throw new Error('A part of a menu stands outside of one.');
  return parts;
}

export function MenuItem({
  children,
  onPress,
  checked,
}: {
  readonly children: ReactNode;
  readonly onPress: () => void;
  readonly checked?: boolean;
}) {
  const { Item } = useParts();
  return (
    <Item className={clsx(ITEM, checked === true && 'font-semibold')} onClick={onPress}>
      {children}
    </Item>
  );
}

export function MenuGroup({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const { Group, GroupLabel } = useParts();
  return (
    <Group>
      <GroupLabel className="px-3 pt-2 pb-1 text-xs font-semibold text-muted">{label}</GroupLabel>
      {children}
    </Group>
  );
}

export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator className="my-1 h-px bg-line" />;
}
