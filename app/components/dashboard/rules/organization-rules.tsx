'use client';

import Link from 'next/link';
import { SEVERITIES, SEVERITY_LABELS } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../filter-bar.tsx';
import { useMemberNames } from '../findings/use-finding.ts';
import { useOpenByRule } from '../findings/use-findings.ts';
import { orgLink } from '../links.ts';
import { isOn, type RuleState, ruleKey, storedValue } from './rule-state.ts';
import { matchingRules, type TabProps } from './rule-view.ts';
import { type CatalogRule, PAGE_ROWS, type RuleChanges } from './use-rules.ts';

const NO_FILTERS = { q: null, sev: null, show: null } as const;

export function OrganizationRules({ catalog, changes, view, onView }: TabProps) {
  const { state } = changes;
  const open = useOpenByRule();
  const differing = countDiffering(state);
  const shows = {
    off: ({ id }: CatalogRule) => !isOn(state, null, id),
    differs: ({ id }: CatalogRule) => differing.has(id),
    unsaved: ({ id }: CatalogRule) => state.pending.has(ruleKey(null, id)),
  } as const;
  const rules = matchingRules(catalog, view).filter((rule) => view.show === null || shows[view.show](rule));
  const isFiltered = view.q.trim() !== '' || view.sev.length > 0 || view.show !== null;
  const clear = () => onView(NO_FILTERS);
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <TextFilter label="Rule" name="q" value={view.q} />
        <ChoiceFilter
          label="Severity"
          allLabel="All"
          value={view.sev[0] ?? null}
          options={SEVERITIES.map((each) => [each, SEVERITY_LABELS[each].label])}
          onChange={(severity) => onView({ sev: severity === null ? null : [severity] })}
        />
        <ChoiceFilter
          label="Show"
          allLabel="All"
          value={view.show}
          options={[
            ['off', 'Off'],
            ['differs', 'Different in repositories'],
            ['unsaved', 'Not saved'],
          ]}
          onChange={(show) => onView({ show })}
        />
      </FilterBar>
      <p role="status" className="mb-3 text-sm text-muted">
        {plural(rules.length, { one: '1 rule', other: '# rules' })}
      </p>
      {rules.length === 0 ? (
        <EmptyState title="No rule matches">
          <Button onClick={clear}>Clear filters</Button>
        </EmptyState>
      ) : (
        <Table caption="Rules of the organization">
          <thead>
            <tr>
              <HeaderCell>Rule</HeaderCell>
              <HeaderCell>On</HeaderCell>
              <HeaderCell className="max-md:hidden">Open</HeaderCell>
              <HeaderCell className="max-md:hidden">Different in</HeaderCell>
              <HeaderCell className="max-md:hidden">Changed</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {rules.slice((view.page - 1) * PAGE_ROWS, view.page * PAGE_ROWS).map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                open={open?.get(rule.id) ?? 0}
                differing={differing.get(rule.id) ?? 0}
                changes={changes}
              />
            ))}
          </tbody>
        </Table>
      )}
      <Pagination page={view.page} pages={Math.ceil(rules.length / PAGE_ROWS)} onPage={(page) => onView({ page })} />
    </>
  );
}

interface RowProps {
  readonly rule: CatalogRule;
  readonly open: number;
  readonly differing: number;
  readonly changes: RuleChanges;
}

function RuleRow({ rule: { id, title, default_severity: severity }, open, differing, changes }: RowProps) {
  const org = useOrg();
  const { state, set } = changes;
  const stored = storedValue(state, null, id);
  const unsaved = state.pending.has(ruleKey(null, id));
  return (
    <Row>
      <HeaderCell scope="row" className="align-top font-normal">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <SeverityChip severity={severity} />
          <RuleLink id={id} />
        </span>
        <span className="mt-0.5 block">{title}</span>
      </HeaderCell>
      <Cell>
        <Switch
          label={`${id} in the organization`}
          on={isOn(state, null, id)}
          disabled={changes.run?.kind === 'running'}
          onChange={(on) =>
            set([
              {
                rule_id: id,
                repository_id: null,
                value: on ? (stored === 'inherit' ? 'inherit' : 'enabled') : 'disabled',
              },
            ])
          }
        />
        {unsaved && <span className="block text-xs whitespace-nowrap text-muted">Not saved</span>}
      </Cell>
      <Cell className="tabular-nums max-md:hidden">
        {open > 0 ? (
          <Link href={orgLink(org.id, 'findings', { rule: id })} prefetch={false} className="link">
            {open}
            <span className="sr-only"> open findings of {id}</span>
          </Link>
        ) : (
          <span className="text-muted">0</span>
        )}
      </Cell>
      <Cell className="max-md:hidden">
        {differing > 0 && (
          <Link href={orgLink(org.id, 'rules', { tab: 'repositories', q: id })} prefetch={false} className="link">
            {plural(differing, { one: '1 repository', other: '# repositories' })}
          </Link>
        )}
      </Cell>
      <Cell className="text-muted max-md:hidden">
        <Changed state={state} repoId={null} ruleId={id} />
      </Cell>
    </Row>
  );
}

export function Changed({
  state,
  repoId,
  ruleId,
}: {
  readonly state: RuleState;
  readonly repoId: string | null;
  readonly ruleId: string;
}) {
  const nameOf = useMemberNames();
  const row = state.stored.get(ruleKey(repoId, ruleId));
  if (row === undefined) return null;
  return (
    <>
      <span className="block wrap-anywhere">{nameOf(row.updated_by)}</span>
      <span className="text-xs">
        <Time at={row.updated_at} />
      </span>
    </>
  );
}

function countDiffering(state: RuleState): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { repo_id: repoId, rule_id: ruleId, enabled } of state.stored.values()) {
    if (repoId !== null && enabled !== isOn(state, null, ruleId)) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
  }
  return counts;
}
