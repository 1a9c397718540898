import type { ShownRef, ShownVersion } from '#lib/services/pages/action-page.ts';
import { formatNumber, plural } from '../../numbers.ts';
import { Band } from '../domain/band.tsx';
import { CopyButton } from '../domain/copy-button.tsx';
import { ForeignText } from '../domain/foreign-text.tsx';
import { Time } from '../domain/time.tsx';
import { Section } from '../ui/frame.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

interface Props {
  readonly versions: readonly ShownVersion[];
  readonly more: number;
  readonly repositoryUrl: string;
}

export function Versions({ versions, more, repositoryUrl }: Props) {
  if (versions.length === 0) return null;
  return (
    <Section id="versions" title="Versions">
      <Table caption="Scored versions, the one evaluated last first">
        <thead>
          <tr>
            <HeaderCell>Score</HeaderCell>
            <HeaderCell>Version</HeaderCell>
            <HeaderCell className="max-sm:hidden">First seen</HeaderCell>
            <HeaderCell>Pin</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ sha, refs, moreRefs, score, band, firstSeenAt, pin }) => (
            <Row key={sha}>
              <Cell className="whitespace-nowrap tabular-nums">
                <Band band={band} className="me-2" />
                {score}
              </Cell>
              <HeaderCell scope="row" className="text-start font-normal max-sm:px-2">
                <Refs refs={refs} more={moreRefs} />
                <a
                  href={`${repositoryUrl}/commit/${sha}`}
                  rel="noopener noreferrer nofollow"
                  className="link inline-block py-0.5 font-mono text-xs"
                >
                  {sha.slice(0, 12)}
                </a>
              </HeaderCell>
              <Cell className="text-muted max-sm:hidden">
                <Time at={firstSeenAt} />
              </Cell>
              <Cell>
                {pin === null ? (
                  <span className="text-muted">Not advised</span>
                ) : (
                  <>
                    <CopyButton
                      label="Copy"
                      text={pin}
                      of={`the pin of ${sha.slice(0, 12)}`}
                      className="min-h-8 px-2.5"
                    />
                    <noscript>
                      <code className="text-xs break-all">{sha}</code>
                    </noscript>
                  </>
                )}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {more > 0 && (
        <p className="mt-2 text-sm text-muted">
          {plural(more, { one: '1 older version is in the API.', other: '# older versions are in the API.' })}
        </p>
      )}
    </Section>
  );
}

function Refs({ refs, more }: { readonly refs: readonly ShownRef[]; readonly more: number }) {
  if (refs.length === 0) return <span className="block text-muted">Not named by a tag or branch</span>;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {refs.map(({ name, kind, lastSeenHereAt }) => (
        <li key={`${kind} ${name}`} className="max-w-full rounded-control bg-inset px-2 py-0.5 text-xs">
          <span className="sr-only">{kind === 'tag' ? 'Tag ' : 'Branch '}</span>
          {kind === 'branch' && <span aria-hidden="true">branch </span>}
          <ForeignText text={name} className="font-mono break-all" />
          {lastSeenHereAt !== null && (
            <span className="text-muted">
              {' '}
              until <time dateTime={lastSeenHereAt}>{lastSeenHereAt.slice(0, 10)}</time>
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li className="py-0.5 text-xs text-muted">and {formatNumber(more)} more</li>}
    </ul>
  );
}
