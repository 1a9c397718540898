import type { ReactNode } from 'react';
import type { ProblemCode } from '#lib/errors.ts';
import { actionFilterPath, MAX_ACTION_SEARCH } from '#lib/http/action-filter.ts';
import { visible } from '#lib/report/visible.ts';
import type { DirectoryFilter, Directory as Listed, RecentMove } from '#lib/services/pages/action-directory.ts';
import { plural } from '../../numbers.ts';
import { ScoreRequest } from '../action/score-request.tsx';
import { Moves } from '../domain/moves.tsx';
import { Banner } from '../ui/banner.tsx';
import { Page, PageHeader } from '../ui/frame.tsx';
import { Panel } from '../ui/panel.tsx';
import { ActionTable } from './action-table.tsx';
import { ClearFilters, FilterForm } from './filter-form.tsx';
import { Pagination } from './pagination.tsx';
import { refusalOf } from './refusal.ts';

export interface Refused {
  readonly code: ProblemCode;
  readonly wait: number | undefined;
  readonly input: string;
}

interface Props {
  readonly listed: Listed;
  readonly filter: DirectoryFilter;
  readonly unknown: readonly string[];
  readonly moves: readonly RecentMove[];
  readonly missing: { readonly owner: string; readonly name: string } | undefined;
  readonly refused: Refused | null;
  readonly host: string;
}

export function Directory({ listed, filter, unknown, moves, missing, refused, host }: Props) {
  const { actions, total, pages, counts } = listed;
  const isFiltered = filter.text !== '' || filter.bands.length > 0;
  return (
    <Page>
      <PageHeader title="Risk scores of actions">
        <p>
          Each score is about one commit of an action: what its code does, who maintains it, whether its tags stay put,
          and which advisories affect it.
        </p>
        <p className="mt-2">
          <a href="/actions/methodology" className="link">
            How scores are made, and what they do not say
          </a>
        </p>
      </PageHeader>
      {refused !== null && <Refusal refused={refused} host={host} />}
      <FilterForm filter={filter} counts={counts} maxLength={MAX_ACTION_SEARCH} />
      {unknown.length > 0 && (
        <Banner tone="warning" title="Part of the URL was not understood and is ignored" className="mt-6">
          <code>{visible(unknown.slice(0, 5).join(', '))}</code>
        </Banner>
      )}
      {moves.length > 0 && (
        <Panel className="mt-6">
          <h2 className="mb-1 font-semibold">Release tags that moved lately</h2>
          <p className="mb-3 text-sm text-muted">
            A release tag should name one commit for good. Moving one is how published actions were hijacked.
          </p>
          <Moves moves={moves} />
        </Panel>
      )}
      <p className="mt-6 mb-3 text-sm">{plural(total, { one: '1 scored action', other: '# scored actions' })}</p>
      {actions.length > 0 && <ActionTable actions={actions} filter={filter} />}
      {actions.length === 0 && total > 0 && (
        <Empty title="This page is past the last one">
          <a
            href={actionFilterPath({ ...filter, page: pages })}
            className="link inline-flex min-h-10 items-center text-sm"
          >
            Last page
          </a>
        </Empty>
      )}
      {total === 0 && !isFiltered && (
        <Empty title="No action is scored yet">
          <p className="mt-1 text-sm text-muted">Search for an action by its owner and name to have it scored.</p>
        </Empty>
      )}
      {total === 0 && isFiltered && (
        <Empty title="No scored action matches">
          <p className="mt-1 text-sm text-muted">
            The text must be part of a name or description.
            {missing === undefined && ' To have an action scored, search for owner/name.'}
          </p>
          <ClearFilters />
        </Empty>
      )}
      <Pagination page={filter.page} pages={pages} pathOf={(page) => actionFilterPath({ ...filter, page })} />
      {missing !== undefined && (
        <Panel className="mt-6">
          <h2 className="font-semibold break-words">
            Score {missing.owner}/{missing.name}
          </h2>
          <p className="mt-1 mb-4 text-sm text-muted">
            It has no score yet. Its newest release is read and scored now; no code is run.
          </p>
          <ScoreRequest owner={missing.owner} name={missing.name} />
        </Panel>
      )}
    </Page>
  );
}

function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="mt-6 rounded-panel border border-dashed border-control p-6 text-center">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </div>
  );
}

function Refusal({ refused: { code, wait, input }, host }: { readonly refused: Refused; readonly host: string }) {
  const { title, next } = refusalOf(code, host, wait);
  return (
    <Banner tone="warning" title={title} className="mb-6">
      <p>{next}</p>
      {input !== '' && (
        <p className="mt-1 text-muted">
          You asked for <code className="wrap-anywhere">{visible(input)}</code>.
        </p>
      )}
    </Banner>
  );
}
