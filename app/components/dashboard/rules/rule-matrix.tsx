'use client';

import { CheckIcon, XIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { visible } from '#lib/report/visible.ts';
import { Icon } from '../../ui/octicon.tsx';
import { EmptyState } from '../empty-state.tsx';
import { FilterBar, TextFilter } from '../filter-bar.tsx';
import { isOn, nextValue, ownValue, type RuleState, ruleKey } from './rule-state.ts';
import { matchingRepositories, matchingRules, type Repository, type TabProps } from './rule-view.ts';
import type { CatalogRule } from './use-rules.ts';

const SIDE = 256;
const HEAD = 168;
const ROW = 36;
const COLUMN = 40;
const SPARE = 3;

interface Place {
  readonly row: number;
  readonly column: number;
}

export function RuleMatrix({ catalog, repositories, changes, view, onView }: TabProps) {
  const rules = matchingRules(catalog, { q: view.q, sev: [] });
  const columns = matchingRepositories(repositories, view);
  return (
    <>
      <FilterBar
        onClear={view.q.trim() === '' && view.repo.trim() === '' ? undefined : () => onView({ q: null, repo: null })}
      >
        <TextFilter label="Rule" name="q" value={view.q} />
        <TextFilter label="Repository" name="repo" value={view.repo} />
      </FilterBar>
      {rules.length === 0 || columns.length === 0 ? (
        <EmptyState title={rules.length === 0 ? 'No rule matches' : 'No repository matches'} />
      ) : (
        <Grid
          rules={rules}
          repositories={columns}
          state={changes.state}
          onCycle={(ruleId, repoId) =>
            changes.set([
              { rule_id: ruleId, repository_id: repoId, value: nextValue(ownValue(changes.state, repoId, ruleId)) },
            ])
          }
        />
      )}
    </>
  );
}

interface GridProps {
  readonly rules: readonly CatalogRule[];
  readonly repositories: readonly Repository[];
  readonly state: RuleState;
  readonly onCycle: (ruleId: string, repoId: string) => void;
}

function Grid({ rules, repositories, state, onCycle }: GridProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const part = usePart(box);
  const [chosen, setChosen] = useState<Place>({ row: 0, column: 0 });
  const active = {
    row: Math.min(chosen.row, rules.length - 1),
    column: Math.min(chosen.column, repositories.length - 1),
  };
  const rows = between(part.top, part.height - HEAD, ROW, rules.length);
  const columns = between(part.left, part.width - SIDE, COLUMN, repositories.length);
  const activeRule = rules[active.row];
  const activeRepository = repositories[active.column];
  const shortName = shortNames(repositories);

  const go = (row: number, column: number) => {
    const next = {
      row: Math.min(Math.max(row, 0), rules.length - 1),
      column: Math.min(Math.max(column, 0), repositories.length - 1),
    };
    setChosen(next);
    if (box.current !== null) bringIntoView(box.current, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    const { row, column } = active;
    const page = Math.max(1, Math.floor((part.height - HEAD) / ROW) - 1);
    const moves: Readonly<Record<string, readonly [row: number, column: number]>> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? rules.length : row, repositories.length],
    };
    const move = moves[event.key];
    if (event.key === ' ' && activeRule !== undefined && activeRepository !== undefined) {
      onCycle(activeRule.id, activeRepository.id);
    } else if (move !== undefined) go(...move);
    else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
    const [row = -1, column = -1] = cell?.dataset['place']?.split(' ').map(Number) ?? [];
    const rule = rules[row];
    const repository = repositories[column];
    if (rule === undefined || repository === undefined) return;
    setChosen({ row, column });
    onCycle(rule.id, repository.id);
  };
  return (
    <>
      <Legend />
      <p aria-hidden="true" className="mb-2 min-h-5 text-sm wrap-anywhere">
        {activeRule !== undefined && activeRepository !== undefined && nameOf(state, activeRule.id, activeRepository)}
      </p>
      <div
        ref={box}
        role="grid"
        aria-label="Rules by repository"
        aria-rowcount={rules.length + 1}
        aria-colcount={repositories.length + 1}
        aria-activedescendant={`${id}-${active.row}-${active.column}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        className="group h-[min(70dvh,44rem)] w-fit max-w-full overflow-auto [scrollbar-gutter:stable] rounded-panel border border-line text-sm"
      >
        <div
          role="presentation"
          className="relative"
          style={{ width: SIDE + repositories.length * COLUMN, height: HEAD + rules.length * ROW }}
        >
          <div role="row" aria-rowindex={1} className="sticky top-0 z-[2] bg-subtle" style={{ height: HEAD }}>
            <div
              role="columnheader"
              aria-colindex={1}
              className="sticky left-0 z-[1] flex h-full items-end border-e border-b border-line bg-subtle px-3 py-2 text-xs font-semibold text-muted"
              style={{ width: SIDE }}
            >
              Rule
            </div>
            {columns.map((column) => (
              <div
                key={repositories[column]?.id}
                role="columnheader"
                aria-colindex={column + 2}
                title={visible(repositories[column]?.full_name ?? '')}
                className="absolute top-0 flex h-full items-end justify-center overflow-hidden border-b border-line py-2"
                style={{ left: SIDE + column * COLUMN, width: COLUMN }}
              >
                <span
                  className={clsx(
                    'max-h-full rotate-180 truncate px-2 text-xs [writing-mode:vertical-rl]',
                    column === active.column ? 'font-semibold' : 'text-muted',
                  )}
                >
                  {visible(shortName(repositories[column]?.full_name ?? ''))}
                </span>
              </div>
            ))}
          </div>
          {rows.map((row) => {
            const rule = rules[row];
            return (
              rule !== undefined && (
                <div
                  key={rule.id}
                  role="row"
                  aria-rowindex={row + 2}
                  className="absolute left-0 w-full border-b border-line"
                  style={{ top: HEAD + row * ROW, height: ROW }}
                >
                  <div
                    role="rowheader"
                    aria-colindex={1}
                    title={rule.title}
                    className={clsx(
                      'sticky left-0 z-[1] flex h-full items-center border-e border-line bg-page px-3 font-mono text-xs',
                      row === active.row && 'font-semibold',
                    )}
                    style={{ width: SIDE }}
                  >
                    <span className="truncate">{rule.id}</span>
                  </div>
                  {columns.map((column) => {
                    const repository = repositories[column];
                    return (
                      repository !== undefined && (
                        <div
                          key={repository.id}
                          id={`${id}-${row}-${column}`}
                          role="gridcell"
                          aria-colindex={column + 2}
                          aria-label={nameOf(state, rule.id, repository)}
                          data-place={`${row} ${column}`}
                          className={clsx(
                            'absolute top-0 flex h-full cursor-pointer items-center justify-center hover:bg-subtle',
                            row === active.row &&
                              column === active.column &&
                              'outline-2 -outline-offset-2 outline-transparent group-focus:outline-accent',
                          )}
                          style={{ left: SIDE + column * COLUMN, width: COLUMN }}
                        >
                          <Mark state={state} ruleId={rule.id} repoId={repository.id} />
                        </div>
                      )
                    );
                  })}
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

function shortNames(repositories: readonly Repository[]): (fullName: string) => string {
  const owners = new Set(repositories.map(({ full_name: name }) => name.split('/')[0]));
  return (fullName) => (owners.size === 1 ? fullName.slice(fullName.indexOf('/') + 1) : fullName);
}

function nameOf(state: RuleState, ruleId: string, { id, full_name: name }: Repository): string {
  const own = ownValue(state, id, ruleId);
  return [
    `${ruleId} in ${visible(name)}: ${isOn(state, id, ruleId) ? 'on' : 'off'}`,
    own === 'inherit' ? 'as the organization' : 'set here',
    state.pending.has(ruleKey(id, ruleId)) && 'not saved',
  ]
    .filter((part) => part !== false)
    .join(', ');
}

interface MarkProps {
  readonly state: RuleState;
  readonly ruleId: string;
  readonly repoId: string;
}

function Mark({ state, ruleId, repoId }: MarkProps) {
  return (
    <Shape
      on={isOn(state, repoId, ruleId)}
      own={ownValue(state, repoId, ruleId) !== 'inherit'}
      unsaved={state.pending.has(ruleKey(repoId, ruleId))}
    />
  );
}

function Shape({ on, own, unsaved }: { readonly on: boolean; readonly own: boolean; readonly unsaved: boolean }) {
  return (
    <span
      className={clsx(
        'flex size-6 items-center justify-center rounded-control',
        own && (on ? 'bg-ok text-page' : 'bg-critical text-page'),
        !own && (on ? 'text-muted' : 'rounded-full border border-dashed border-critical text-critical'),
        unsaved && 'ring-2 ring-accent ring-offset-2 ring-offset-page',
      )}
    >
      <Icon of={on ? CheckIcon : XIcon} />
    </span>
  );
}

function Legend() {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-5 gap-y-2 text-sm text-muted">
      {(
        [
          [{ on: true, own: false, unsaved: false }, 'On, as the organization'],
          [{ on: false, own: false, unsaved: false }, 'Off, as the organization'],
          [{ on: true, own: true, unsaved: false }, 'On here'],
          [{ on: false, own: true, unsaved: false }, 'Off here'],
          [{ on: false, own: true, unsaved: true }, 'Not saved'],
        ] as const
      ).map(([shape, text]) => (
        <li key={text} className="inline-flex items-center gap-2">
          <Shape {...shape} />
          {text}
        </li>
      ))}
      <li>
        <kbd>Space</kbd> or a click changes a cell, arrows move.
      </li>
    </ul>
  );
}

interface Part {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function usePart(box: RefObject<HTMLElement | null>): Part {
  const [part, setPart] = useState<Part>({ top: 0, left: 0, width: 0, height: 0 });
  const measure = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = element;
    setPart({ top, left, width, height });
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [box, measure]);
  return part;
}

function between(from: number, room: number, size: number, count: number): readonly number[] {
  const first = Math.max(0, Math.floor(from / size) - SPARE);
  const last = Math.min(count, Math.ceil((from + Math.max(0, room)) / size) + SPARE);
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
}

function bringIntoView(box: HTMLElement, { row, column }: Place): void {
  const { scrollTop, scrollLeft, clientWidth, clientHeight } = box;
  box.scrollTop = nearest(scrollTop, row * ROW, ROW, clientHeight - HEAD);
  box.scrollLeft = nearest(scrollLeft, column * COLUMN, COLUMN, clientWidth - SIDE);
}

function nearest(now: number, start: number, size: number, room: number): number {
  return Math.max(Math.min(now, start), start + size - room);
}
