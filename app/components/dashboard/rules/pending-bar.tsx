'use client';

import { useMemo } from 'react';
import { effectOf, type PathKind, type RuleEffect } from '#lib/services/rules/effect.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { hindranceOf, RunButtons } from '../../session/run-bar.tsx';
import { useAskBeforeClosing } from '../../session/use-loop.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { usePaths } from '../paths/use-paths.ts';
import { reasonOf } from '../problem.tsx';
import { isOn, type RuleState, rulesOff } from './rule-state.ts';
import { type CatalogRule, type RuleChanges, type SaveRun, useAssessed } from './use-rules.ts';

interface Props {
  readonly kinds: readonly PathKind[];
  readonly catalog: readonly CatalogRule[];
  readonly changes: RuleChanges;
}

export function PendingBar({ kinds, catalog, changes }: Props) {
  const { state, run, discard, save } = changes;
  const count = state.pending.size;
  const busy = run?.kind === 'running';
  useAskBeforeClosing(count > 0);
  return (
    <>
      {run !== null && <Saved run={run} />}
      {count > 0 && (
        <section
          aria-label="Unsaved changes"
          className="sticky bottom-0 z-10 mt-4 rounded-panel border border-line bg-page p-3 text-sm shadow-lg"
        >
          {!busy && switchesOff(state) && <Warning kinds={kinds} catalog={catalog} state={state} />}
          <div className="flex flex-wrap items-center gap-2">
            <p role="status" className="me-auto font-semibold tabular-nums">
              {run?.kind === 'running' ? progressOf(run) : plural(count, { one: '1 change', other: '# changes' })}
            </p>
            {run?.kind === 'running' && run.run.ids.length > 1 && (
              <RunButtons state={run.run.state} pause={run.pause} resume={run.resume} stop={run.stop} />
            )}
            <Button disabled={busy} onClick={discard}>
              Discard
            </Button>
            <Button variant="primary" disabled={busy} onClick={() => void save()}>
              {busy ? 'Saving' : 'Save'}
            </Button>
          </div>
        </section>
      )}
    </>
  );
}

function switchesOff({ stored, pending }: RuleState): boolean {
  const before = { stored, pending: new Map() };
  return [...pending.values()].some(
    ({ repository_id: repoId, rule_id: ruleId }) =>
      isOn(before, repoId, ruleId) && !isOn({ stored, pending }, repoId, ruleId),
  );
}

function progressOf({ done, total, run }: Extract<SaveRun, { kind: 'running' }>): string {
  const progress = `${formatNumber(done)} of ${formatNumber(total)} changes saved.`;
  return [progress, hindranceOf(run)].filter((part) => part !== null).join(' ');
}

function Saved({ run }: { readonly run: SaveRun }) {
  if (run.kind === 'running') return null;
  const saved = plural(run.saved, { one: '1 change is saved.', other: '# changes are saved.' });
  if (run.refused === null) return <Banner tone="ok" title={saved} role="status" className="mt-4" />;
  return (
    <Banner tone="failure" title="Not everything was saved" role="alert" className="mt-4">
      {`${saved} ${reasonOf(run.refused)}`}
    </Banner>
  );
}

interface WarningProps {
  readonly kinds: readonly PathKind[];
  readonly catalog: readonly CatalogRule[];
  readonly state: RuleState;
}

function Warning({ kinds, catalog, state }: WarningProps) {
  const paths = usePaths();
  const assessed = useAssessed();
  const effect = useMemo(() => {
    if (paths.data === undefined || assessed.data === undefined) return undefined;
    const ids = catalog.map(({ id }) => id);
    const before = { stored: state.stored, pending: new Map() };
    const repositories = assessed.data.map(({ id, rules }) => ({
      id,
      notAssessed: rules,
      offBefore: rulesOff(before, id, ids),
      offAfter: rulesOff(state, id, ids),
    }));
    const known = paths.data.repos.flatMap(({ repo_id: repoId, combos }) =>
      combos.map(({ id, components }) => ({ kind: id, repoId, rules: components.map(({ rule_id }) => rule_id) })),
    );
    return effectOf(kinds, repositories, known);
  }, [paths.data, assessed.data, catalog, kinds, state]);
  if (paths.error !== null || assessed.error !== null) {
    return <p className="mb-2">The attack paths could not be read: what depends on this is unknown.</p>;
  }
  if (effect === undefined) return <p className="mb-2 text-muted">Reading which attack paths depend on this</p>;
  const off = [...state.pending.values()].filter(({ repository_id: repoId, rule_id }) => !isOn(state, repoId, rule_id));
  return <Effect effect={effect} one={new Set(off.map(({ rule_id }) => rule_id)).size === 1} />;
}

function Effect({
  effect: { paths, kinds, repositories },
  one,
}: {
  readonly effect: RuleEffect;
  readonly one: boolean;
}) {
  if (paths === 0 && kinds.length === 0) {
    return <p className="mb-2 text-muted">{`No attack path depends on ${one ? 'this rule' : 'these rules'}.`}</p>;
  }
  const resting = one
    ? { one: '1 attack path depends on this rule', other: '# attack paths depend on this rule' }
    : { one: '1 attack path depends on these rules', other: '# attack paths depend on these rules' };
  const judged = plural(kinds.length, {
    one: '1 kind of path can no longer be detected',
    other: '# kinds of path can no longer be detected',
  });
  const where = plural(repositories, { one: 'in 1 repository', other: 'in # repositories' });
  const sentence = [paths > 0 && plural(paths, resting), kinds.length > 0 && `${judged} ${where}`]
    .filter((part) => part !== false)
    .join('; ');
  return (
    <Banner tone="warning" title={`${sentence}.`} role="status" className="mb-3">
      {kinds.length > 0 && (
        <Disclosure title="Which kinds">
          <ul className="list-disc ps-5">
            {kinds.map((title) => (
              <li key={title}>{title}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </Banner>
  );
}
