'use client';

import { setShortcuts, useShortcuts } from './shortcuts.ts';

export function ShortcutSwitch() {
  const shortcuts = useShortcuts();
  return (
    <label className="inline-flex min-h-6 cursor-pointer items-center gap-2">
      <input
        type="checkbox"
        role="switch"
        aria-checked={shortcuts}
        checked={shortcuts}
        onChange={({ target }) => setShortcuts(target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      Single-letter shortcuts
    </label>
  );
}
