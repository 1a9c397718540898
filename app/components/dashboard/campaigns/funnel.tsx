import { formatNumber } from '../../../numbers.ts';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import type { Rollup } from './use-campaigns.ts';

type Stages = Pick<Rollup, 'prs_opened' | 'prs_merged' | 'prs_verified'>;

export function Funnel({ rollup }: { readonly rollup: Stages }) {
  const { prs_opened: opened, prs_merged: merged, prs_verified: verified } = rollup;
  const stages = [
    { name: 'Opened', meaning: 'Files with a fix pull request', count: opened },
    { name: 'Merged', meaning: 'Files whose fix was merged', count: merged },
    ...(verified === undefined
      ? []
      : [{ name: 'Verified', meaning: 'Files whose merged fix a scan confirmed', count: verified }]),
  ];
  const stillFound = verified === undefined ? 0 : merged - verified;
  return (
    <section aria-labelledby="funnel" className="mb-8">
      <h2 id="funnel" className="mb-3 font-semibold">
        Fixes
      </h2>
      <Table caption="Fixes by stage">
        <thead>
          <tr>
            <HeaderCell>Stage</HeaderCell>
            <HeaderCell>Files</HeaderCell>
            <HeaderCell className="w-1/2 max-md:hidden">Share of opened</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {stages.map(({ name, meaning, count }) => {
            const percent = opened === 0 ? 0 : Math.round((100 * count) / opened);
            return (
              <Row key={name}>
                <HeaderCell scope="row" className="align-top">
                  {name}
                  <span className="block text-xs font-normal text-muted">{meaning}</span>
                </HeaderCell>
                <Cell className="tabular-nums">{formatNumber(count)}</Cell>
                <Cell className="max-md:hidden">
                  <span className="flex items-center gap-3">
                    <svg
                      aria-hidden="true"
                      className="h-3 min-w-0 flex-1"
                      preserveAspectRatio="none"
                      viewBox="0 0 100 4"
                    >
                      <rect width="100" height="4" className="fill-inset" />
                      <rect width={percent} height="4" className="fill-accent" />
                    </svg>
                    <span className="w-[5ch] shrink-0 text-end tabular-nums">{`${percent}%`}</span>
                  </span>
                </Cell>
              </Row>
            );
          })}
        </tbody>
      </Table>
      {stillFound > 0 && (
        <p className="mt-2 text-sm text-muted">
          {`${formatNumber(stillFound)} merged, but not confirmed: no scan followed yet, or it still found them.`}
        </p>
      )}
      {verified === undefined && (
        <p className="mt-2 text-sm text-muted">This server receives no merge events, so no fix counts as verified.</p>
      )}
    </section>
  );
}
