'use client';

import { SearchIcon } from '@primer/octicons-react';
import { type ComponentType, useState } from 'react';
import { useHotkeys } from 'react-hotkeys-hook';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { useShortcuts } from '../shortcuts.ts';
import { usePush } from '../use-push.ts';
import { GO_KEYS, SEARCHED } from './go-keys.ts';
import { modifierKey } from './modifier-key.ts';
import { ShortcutHelp } from './shortcut-help.tsx';

interface PaletteProps {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

export function Keyboard() {
  const { id } = useOrg();
  const push = usePush();
  const shortcuts = useShortcuts();
  const [shown, setShown] = useState<'palette' | 'help' | null>(null);
  const [typed, setTyped] = useState('');
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  const openPalette = () => {
    setShown('palette');
    setTyped('');
    import('./palette.tsx').then(
      (loaded) => setPalette(() => loaded.Palette),
      () => setShown(null),
    );
  };
  useHotkeys('mod+k', () => (shown === 'palette' ? setShown(null) : openPalette()), {
    enableOnFormTags: true,
    preventDefault: true,
  });
  useHotkeys(
    GO_KEYS.map(({ letter }) => `g>${letter}`),
    (event) => {
      event.stopPropagation();
      const section = GO_KEYS.find(({ letter }) => letter === event.key.toLowerCase());
      if (section !== undefined) push(orgLink(id, section.path));
    },
    { enabled: shortcuts, eventListenerOptions: { capture: true } },
    [id, push],
  );
  useHotkeys('shift+?', () => setShown('help'), { enabled: shortcuts, useKey: true });
  useHotkeys('/', () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(), {
    enabled: shortcuts,
    useKey: true,
    preventDefault: true,
  });
  const close = () => setShown(null);
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={openPalette}
        className="inline-flex size-9 shrink-0 cursor-pointer items-center justify-center gap-2 rounded-control border border-transparent text-sm text-muted hover:bg-subtle hover:text-fg md:w-auto md:border-line md:px-3"
      >
        <Icon of={SearchIcon} />
        <span className="max-md:sr-only">Go to</span>
        <kbd aria-hidden="true" className="rounded-control bg-inset px-1.5 font-sans text-2xs max-md:hidden">
          {`${modifierKey()} K`}
        </kbd>
      </button>
      <Dialog open={shown === 'palette'} title="Go to" onClose={close}>
        {Palette === null ? (
          <div className="min-h-40">
            <Input
              data-focus
              aria-label={SEARCHED}
              placeholder={SEARCHED}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </div>
        ) : (
          <Palette typed={typed} onType={setTyped} onClose={close} onHelp={() => setShown('help')} />
        )}
      </Dialog>
      <Dialog open={shown === 'help'} title="Keyboard shortcuts" onClose={close}>
        <ShortcutHelp />
      </Dialog>
    </>
  );
}
