'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../../numbers.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { formatDay, Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar } from '../filter-bar.tsx';
import { STATUSES } from '../findings/filters.ts';
import { STATUS_TEXTS, statusBefore } from '../findings/status.ts';
import { TriageResult } from '../findings/triage-bar.tsx';
import { useMemberNames } from '../findings/use-finding.ts';
import { type Target, useTriage } from '../findings/use-triage.ts';
import { orgLink } from '../links.ts';
import { useMembers } from '../members.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { useRepositoryChoices } from '../repositories/use-repository.ts';
import {
  ACTIVITY_FILTERS,
  type ActivityEvent,
  type ActivityFilters,
  type DecisionEvent,
  type RuleEvent,
  type RuleValue,
  readBefore,
  useActivity,
} from './use-activity.ts';

const NO_FILTERS = { what: null, who: null, status: null, repo: null } as const;

export function ActivityPage() {
  const [filters, setFilters] = useQueryStates(ACTIVITY_FILTERS);
  const { what, who, status, repo } = filters;
  const isFiltered = what !== 'all' || who !== '' || status !== null || repo !== '';
  const { data: events, isPending } = useActivity(filters);
  return (
    <>
      <DashboardHeader title="Activity">
        <p>Who decided what about findings, and who switched which rule.</p>
      </DashboardHeader>
      {(isFiltered || events?.length !== 0) && (
        <div className={clsx(isPending && !isFiltered && 'invisible')}>
          <Filters filters={filters} isFiltered={isFiltered} onChange={(next) => void setFilters(next)} />
        </div>
      )}
      <Events
        key={JSON.stringify(filters)}
        filters={filters}
        isFiltered={isFiltered}
        onClear={() => void setFilters(NO_FILTERS)}
      />
    </>
  );
}

interface FiltersProps {
  readonly filters: ActivityFilters;
  readonly isFiltered: boolean;
  readonly onChange: (change: { readonly [Name in keyof ActivityFilters]?: ActivityFilters[Name] | null }) => void;
}

function Filters({ filters, isFiltered, onChange }: FiltersProps) {
  const { data: members = [] } = useMembers();
  const repositories = useRepositoryChoices();
  return (
    <FilterBar onClear={isFiltered ? () => onChange(NO_FILTERS) : undefined}>
      <ChoiceFilter
        label="What"
        value={filters.what}
        options={[
          ['all', 'Everything'],
          ['findings', 'Decisions on findings'],
          ['rules', 'Rules'],
        ]}
        onChange={(what) => onChange({ what, ...(what === 'rules' && { status: null }) })}
      />
      <ChoiceFilter
        label="Person"
        allLabel="Anyone"
        value={filters.who}
        options={[
          ...members.map(
            ({ user_id: userId, email }) =>
              [userId, email === null ? 'A member without an address' : visible(email)] as const,
          ),
          ['time', 'Nobody: the time had passed'],
        ]}
        onChange={(who) => onChange({ who })}
      />
      <ChoiceFilter
        label="Decision"
        allLabel="Any"
        value={filters.status}
        disabled={filters.what === 'rules'}
        options={STATUSES.map((status) => [status, STATUS_TEXTS[status].label])}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter
        label="Repository"
        allLabel="All"
        value={filters.repo}
        options={repositories.map(({ id, full_name: name }) => [id, visible(name)])}
        onChange={(repo) => onChange({ repo })}
      />
    </FilterBar>
  );
}

interface EventsProps {
  readonly filters: ActivityFilters;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function Events({ filters, isFiltered, onClear }: EventsProps) {
  const { data: events, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useActivity(filters);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { db } = useUser();
  const org = useOrg();
  const { run, revert, undo, dismiss } = useTriage();
  const [unread, setUnread] = useState<unknown>(null);
  const nameOf = useMemberNames();
  if (events === undefined) {
    if (error === null) return <Skeleton lines={9} />;
    return <Problem error={error} what="The activity could not be read" onRetry={() => void refetch()} />;
  }
  const revertible = newestOfEach(events);
  const chosen = revertible.filter(({ id }) => selected.has(id));
  const busy = run?.kind === 'running';
  const takeBack = async () => {
    setUnread(null);
    try {
      const befores = await readBefore(db, org.id, chosen);
      setSelected(new Set());
      await revert(chosen.map((event) => ({ target: now(event), before: statusBefore(event, befores.get(event.id)) })));
    } catch (failure) {
      setUnread(failure);
    }
  };
  return (
    <>
      <TriageResult run={run} onUndo={() => void undo()} onClose={dismiss} />
      {unread !== null && <Problem error={unread} what="Nothing was put back" />}
      {events.length === 0 && (
        <EmptyState title={isFiltered ? 'Nothing matches' : 'No decisions yet'}>
          {isFiltered ? (
            <Button onClick={onClear}>Clear filters</Button>
          ) : (
            <>
              <p className="mb-2">
                Decisions to dismiss, accept or snooze findings show here, and you can revert them.
              </p>
              <Link href={orgLink(org.id, 'findings')} prefetch={false} className="link">
                Decide on findings
              </Link>
            </>
          )}
        </EmptyState>
      )}
      {events.length > 0 && (
        <ol aria-label="Activity" className="divide-y divide-line rounded-panel border border-line text-sm">
          {events.map((event) => (
            <li key={event.id} className="flex gap-3 px-4 py-3">
              {event.kind === 'finding' ? (
                <>
                  <Choice
                    event={event}
                    enabled={!busy && revertible.includes(event)}
                    checked={selected.has(event.id)}
                    onChange={(on) =>
                      setSelected(
                        (before) => new Set([...before].filter((id) => id !== event.id).concat(on ? event.id : [])),
                      )
                    }
                  />
                  <Decision event={event} name={nameOf(event.actor)} />
                </>
              ) : (
                <>
                  <span className="w-4 shrink-0" />
                  <Switched event={event} name={nameOf(event.actor)} />
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button className="mt-4" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Reading' : 'Show older'}
        </Button>
      )}
      {error !== null && <Problem error={error} what="Older activity could not be read" />}
      {chosen.length > 0 && (
        <section
          aria-label="Selected decisions"
          className="sticky bottom-0 z-10 mt-3 flex flex-wrap items-center gap-2 rounded-panel border border-line bg-page p-3 shadow-lg"
        >
          <p className="me-auto text-sm">Each finding gets back its earlier status.</p>
          {chosen.length < revertible.length && (
            <Button onClick={() => setSelected(new Set(revertible.map(({ id }) => id)))}>
              {`Select all ${revertible.length} shown`}
            </Button>
          )}
          <Button onClick={() => setSelected(new Set())}>Clear selection</Button>
          <Button variant="primary" disabled={busy} onClick={() => void takeBack()}>
            {plural(chosen.length, { one: 'Revert 1 decision', other: 'Revert # decisions' })}
          </Button>
        </section>
      )}
    </>
  );
}

function newestOfEach(events: readonly ActivityEvent[]): readonly DecisionEvent[] {
  const seen = new Set<string>();
  return events.filter((event): event is DecisionEvent => {
    if (event.kind !== 'finding') return false;
    const key = `${event.repo_id}.${event.fingerprint}`;
    const isNewest = !seen.has(key);
    seen.add(key);
    return isNewest && event.finding?.status === event.to_status;
  });
}

function now({
  repo_id,
  fingerprint,
  to_status: status,
}: DecisionEvent): Pick<Target, 'repo_id' | 'fingerprint' | 'status'> {
  return { repo_id, fingerprint, status };
}

interface ChoiceProps {
  readonly event: DecisionEvent;
  readonly enabled: boolean;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Choice({ event, enabled, checked, onChange }: ChoiceProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Select: ${STATUS_TEXTS[event.to_status].label}, ${visible(event.finding?.title ?? 'a finding')}`}
      disabled={!enabled}
      checked={checked && enabled}
      onChange={({ target }) => onChange(target.checked)}
      className="mt-0.5 size-4 shrink-0 accent-accent disabled:invisible"
    />
  );
}

function Decision({ event, name }: { readonly event: DecisionEvent; readonly name: string }) {
  const org = useOrg();
  return (
    <div className="min-w-0">
      <p className="wrap-anywhere">
        <span className="font-semibold">{visible(name)}</span>
        {event.actor === null && ' (its time had passed)'}
        {`: ${STATUS_TEXTS[event.from_status].label} → ${STATUS_TEXTS[event.to_status].label}`}
        {event.expires_at !== null && ` until ${formatDay(event.expires_at)}`}
      </p>
      <p className="wrap-anywhere">
        <Link
          href={orgLink(org.id, `findings/${event.repo_id}/${event.fingerprint}`)}
          prefetch={false}
          className="link"
        >
          {visible(event.finding?.title ?? 'Finding')}
        </Link>
        {event.repository !== null && <span className="text-muted"> in {visible(event.repository.full_name)}</span>}
      </p>
      {event.reason !== null && <q className="wrap-anywhere text-muted">{visible(event.reason)}</q>}
      <p className="text-xs text-muted">
        <Time at={event.created_at} />
      </p>
    </div>
  );
}

const VALUES: Readonly<Record<RuleValue, { readonly organization: string; readonly repository: string }>> = {
  enabled: { organization: 'on', repository: 'on' },
  disabled: { organization: 'off', repository: 'off' },
  inherit: { organization: 'on, the default', repository: 'as in the organization' },
};

function Switched({ event, name }: { readonly event: RuleEvent; readonly name: string }) {
  const where = event.repository === null ? 'organization' : 'repository';
  return (
    <div className="min-w-0">
      <p className="wrap-anywhere">
        <span className="font-semibold">{visible(name)}</span>: rule <RuleLink id={event.rule_id} />{' '}
        {`${VALUES[event.from_value][where]} → ${VALUES[event.to_value][where]}`}
        <span className="text-muted">
          {event.repository === null ? ' in the organization' : ` in ${visible(event.repository.full_name)}`}
        </span>
      </p>
      <p className="text-xs text-muted">
        <Time at={event.created_at} />
      </p>
    </div>
  );
}
