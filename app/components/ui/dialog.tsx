'use client';

import { XIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './octicon.tsx';

interface Props {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose?: () => void;
  readonly shape?: 'centred' | 'side' | 'start';
  readonly className?: string;
}

const SHAPES = {
  centred: 'm-auto max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100vw-2rem))] rounded-panel border',
  side: 'ms-auto me-0 my-0 h-dvh max-h-none w-[min(42rem,100vw)] max-w-none border-s',
  start: 'ms-0 me-auto my-0 h-dvh max-h-none w-[min(18rem,85vw)] max-w-none border-e',
} as const;

/**
 * A modal `<dialog>`: the browser keeps focus inside and returns it. Focus starts at the element with `data-focus`,
 * else at the first button.
 */
export function Dialog({ open, title, children, onClose, shape = 'centred', className }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>('[data-focus]')?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  // One that is removed while it is open has to be closed before, or the focus is lost.
  useLayoutEffect(() => {
    const dialog = element.current;
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      closedby={onClose === undefined ? 'none' : 'any'}
      onCancel={(event) => {
        // React also delivers events of a dialog inside this one.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose?.();
      }}
      className={clsx(
        'overflow-y-auto border-line bg-page p-0 text-fg shadow-xl backdrop:bg-black/50',
        SHAPES[shape],
        className,
      )}
    >
      {open && (
        <div className="p-5">
          <div className="mb-3 flex items-start gap-3">
            <h2 id={id} className="min-w-0 flex-1 text-lg font-semibold">
              {title}
            </h2>
            {onClose !== undefined && (
              <button
                type="button"
                aria-label="Close"
                onClick={onClose}
                className="inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-control text-muted hover:bg-subtle hover:text-fg"
              >
                <Icon of={XIcon} />
              </button>
            )}
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
