'use client';

import { Fragment } from 'react';
import { ShortcutSwitch } from '../shortcut-switch.tsx';
import { GO_KEYS } from './go-keys.ts';
import { modifierKey } from './modifier-key.ts';

type Key = readonly [keys: readonly string[], does: string, between?: '+' | 'then'];

interface Group {
  readonly title: string;
  readonly keys: readonly Key[];
}

const groups = (): readonly Group[] => [
  {
    title: 'Everywhere',
    keys: [
      [[modifierKey(), 'K'], 'Go to a page, repository, rule or organization', '+'],
      [['?'], 'Show this help'],
      [['/'], 'Search in the list'],
      ...GO_KEYS.map(({ letter, label }): Key => [['g', letter], `Go to ${label}`, 'then']),
    ],
  },
  {
    title: 'In a list of findings',
    keys: [
      [['j'], 'Next finding'],
      [['k'], 'Previous finding'],
      [['x'], 'Select'],
      [['Shift', 'x'], 'Select up to here', '+'],
      [['*'], 'Select all on this page'],
      [['o'], 'Open'],
    ],
  },
  {
    title: 'In a list of findings, or in an open one',
    keys: [
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
      [['['], 'Previous finding on the page'],
      [[']'], 'Next finding on the page'],
      [['Esc'], 'Close'],
    ],
  },
  {
    title: 'On an attack path',
    keys: [
      [['['], 'Previous path in the repository'],
      [[']'], 'Next path in the repository'],
    ],
  },
];

export function ShortcutHelp() {
  return (
    <div className="space-y-5 text-sm">
      {groups().map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <h3 className="mb-1.5 font-semibold">{title}</h3>
          <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            {keys.map(([pressed, does, between]) => (
              <div key={pressed.join(' ')} className="contents">
                <dt className="flex flex-wrap items-center gap-1">
                  {pressed.map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 && <span className="text-xs text-muted">{between}</span>}
                      <kbd className="rounded-control border border-line bg-subtle px-1.5 font-sans text-xs">{key}</kbd>
                    </Fragment>
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
