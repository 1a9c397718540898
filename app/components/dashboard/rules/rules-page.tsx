'use client';

import { useQueryStates } from 'nuqs';
import { lazy, Suspense } from 'react';
import type { PathKind } from '#lib/services/rules/effect.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useWide } from '../../ui/use-wide.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { useRepositoryChoices } from '../repositories/use-repository.ts';
import { Tabs } from '../tabs.tsx';
import { OrganizationRules } from './organization-rules.tsx';
import { PendingBar } from './pending-bar.tsx';
import { RepositoryRules } from './repository-rules.tsx';
import type { Rules, StoredRule } from './rule-state.ts';
import { RULE_VIEW, TABS, type TabProps } from './rule-view.ts';
import { type CatalogRule, useCatalog, useRuleChanges, useStoredRules } from './use-rules.ts';

const RuleMatrix = lazy(async () => ({ default: (await import('./rule-matrix.tsx')).RuleMatrix }));

export function RulesPage({ kinds }: { readonly kinds: readonly PathKind[] }) {
  const catalog = useCatalog();
  const stored = useStoredRules();
  const error = catalog.error ?? stored.error;
  return (
    <>
      <DashboardHeader title="Rules">
        <p>
          Which rules run where. A repository’s own setting wins over the organization’s. Findings of a rule that is
          switched off stay until the next scan; attack paths that need them go at once.
        </p>
      </DashboardHeader>
      {error !== null && (
        <Problem
          error={error}
          what="The rules could not be read"
          onRetry={() => void Promise.all([catalog.refetch(), stored.refetch()])}
        />
      )}
      {catalog.data !== undefined && stored.data !== undefined
        ? error === null && <Settings kinds={kinds} catalog={catalog.data} stored={stored.data} />
        : error === null && <Skeleton lines={12} />}
    </>
  );
}

interface Props {
  readonly kinds: readonly PathKind[];
  readonly catalog: readonly CatalogRule[];
  readonly stored: Rules<StoredRule>;
}

function Settings({ kinds, catalog, stored }: Props) {
  const [view, setView] = useQueryStates(RULE_VIEW);
  const changes = useRuleChanges(stored);
  const repositories = useRepositoryChoices();
  const wide = useWide();
  const change: TabProps['onView'] = (next) => void setView({ page: null, ...next });
  const shared = { catalog, repositories, changes, view, onView: change };
  return (
    <>
      <Tabs label="Rules" path="rules" tabs={TABS} current={view.tab} />
      {view.tab === 'organization' && <OrganizationRules {...shared} />}
      {view.tab === 'matrix' && !wide && (
        <p className="mb-4 text-sm text-muted">The matrix needs a wider screen. Here is what differs by repository.</p>
      )}
      {(view.tab === 'repositories' || (view.tab === 'matrix' && !wide)) && <RepositoryRules {...shared} />}
      {view.tab === 'matrix' && wide && (
        <Suspense fallback={<Skeleton lines={12} />}>
          <RuleMatrix {...shared} />
        </Suspense>
      )}
      <PendingBar kinds={kinds} catalog={catalog} changes={changes} />
    </>
  );
}
