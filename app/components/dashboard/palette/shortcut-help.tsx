'use client';

import { ShortcutSwitch } from '../shortcut-switch.tsx';
import { GO_KEYS } from './go-keys.ts';

type Key = readonly [keys: readonly string[], does: string];

const GROUPS: readonly { readonly title: string; readonly keys: readonly Key[] }[] = [
  {
    title: 'Everywhere',
    keys: [
      [['Ctrl', 'K'], 'Go to a page, repository, rule or organization'],
      [['?'], 'This help'],
      [['/'], 'Search in the list'],
      ...GO_KEYS.map(({ letter, label }): Key => [['g', letter], label]),
    ],
  },
  {
    title: 'In a list of findings; decisions also in an open one',
    keys: [
      [['j'], 'Next finding'],
      [['k'], 'Previous finding'],
      [['x'], 'Select'],
      [['Shift', 'x'], 'Select up to here'],
      [['*'], 'Select all on this page'],
      [['o'], 'Open'],
      [['d'], 'Dismiss'],
      [['f'], 'Mark as false positive'],
      [['a'], 'Accept the risk'],
      [['s'], 'Snooze'],
      [['r'], 'Reopen'],
      [['z'], 'Undo the last decision'],
    ],
  },
  {
    title: 'In an open finding',
    keys: [
      [['['], 'Previous finding of the page'],
      [[']'], 'Next finding of the page'],
      [['Esc'], 'Close'],
    ],
  },
  {
    title: 'On an attack path',
    keys: [
      [['['], 'Previous path of the repository'],
      [[']'], 'Next path of the repository'],
    ],
  },
];

export function ShortcutHelp() {
  return (
    <div className="space-y-5 text-sm">
      {GROUPS.map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <h3 className="mb-1.5 font-semibold">{title}</h3>
          <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            {keys.map(([pressed, does]) => (
              <div key={pressed.join(' ')} className="contents">
                <dt className="flex flex-wrap gap-1">
                  {pressed.map((key) => (
                    <kbd key={key} className="rounded-control border border-line bg-subtle px-1.5 font-sans text-xs">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <ShortcutSwitch />
    </div>
  );
}
