'use client';

import { Menu as Base } from '@base-ui/react/menu';
import { TriangleDownIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import { useEffect, useRef, useState } from 'react';
import { MenuParts, type MenuProps, TRIGGER } from './menu-parts.ts';
import { Icon } from './octicon.tsx';

export function MenuPopup({ label, trigger, children, align = 'start', className }: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger ref={button} aria-label={label} className={clsx(TRIGGER, className)}>
        {trigger}
        <Icon of={TriangleDownIcon} className="shrink-0 text-muted" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-20 outline-none">
          <Base.Popup className="max-h-[min(70vh,28rem)] w-64 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-panel border border-line bg-page py-1 shadow-lg outline-none">
            <MenuParts value={Base}>{children}</MenuParts>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
