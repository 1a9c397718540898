import { AlertIcon, CheckIcon, QuestionIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { ShownFamily, ShownSignal, UnknownReason } from '#lib/services/pages/action-page.ts';
import { FAMILY_LABELS, UNKNOWN_REASON_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { ForeignText } from '../domain/foreign-text.tsx';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';

export function Families({ families }: { readonly families: readonly ShownFamily[] }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
      {families.map((family) => (
        <Family key={family.id} family={family} />
      ))}
    </div>
  );
}

function Family({
  family: { id, cap, pointsAfterCap, pointsBeforeCap, present, unknown, absent },
}: {
  readonly family: ShownFamily;
}) {
  const { label, meaning } = FAMILY_LABELS[id];
  return (
    <Section
      id={id}
      className="min-w-0"
      title={
        <span className="flex flex-wrap items-baseline justify-between gap-x-4">
          {label}
          <span className="text-sm font-normal text-muted tabular-nums">
            {deduction(pointsAfterCap, pointsBeforeCap, cap)}
          </span>
        </span>
      }
    >
      <p className="mb-3 text-sm text-muted">{meaning}</p>
      <div className="divide-y divide-line rounded-panel border border-line">
        {present.length > 0 && (
          <ul className="divide-y divide-line">
            {present.map((signal) => (
              <Present key={signal.id} signal={signal} />
            ))}
          </ul>
        )}
        {[...new Set(unknown.map(({ reason }) => reason))].map((reason) => (
          <Unknown key={reason} reason={reason} signals={unknown.filter((signal) => signal.reason === reason)} />
        ))}
        {absent.length > 0 && (
          <Fold
            summary={plural(absent.length, {
              one: '1 signal checked and not found',
              other: '# signals checked and not found',
            })}
          >
            {absent.map(({ id: own, means }) => (
              <Item key={own} icon={CheckIcon} color="text-ok" state="Not found">
                <code className="text-xs break-all">{own}</code>
                <p className="text-muted">{means}</p>
              </Item>
            ))}
          </Fold>
        )}
      </div>
    </Section>
  );
}

function deduction(points: number, beforeCap: number, cap: number): string {
  if (points === 0) return 'nothing deducted';
  const deducted = plural(points, { one: '1 point deducted', other: '# points deducted' });
  return beforeCap > points
    ? `${deducted}, the most for this family (${beforeCap} without the limit of ${cap})`
    : deducted;
}

function Present({ signal: { id, means, n, points, evidence, blocks } }: { readonly signal: ShownSignal }) {
  const color = points === 0 ? 'text-muted' : points >= 15 ? 'text-critical' : 'text-high';
  const adds = evidence !== null && !means.startsWith(evidence.replace(/\.$/, ''));
  return (
    <Item icon={AlertIcon} color={color} state="Found">
      <Amount>{points === 0 ? 'not counted' : `−${points}`}</Amount>
      <p className="font-medium">{means}</p>
      {adds && (
        <p className="mt-1 [overflow-wrap:anywhere]">
          <ForeignText text={evidence} />
        </p>
      )}
      <p className="mt-1 text-muted">
        <code className="text-xs">{id}</code>
        {n > 1 && `, ${n} times`}
        {points === 0 && ', covered by a stronger signal of the same kind'}
        {blocks && ', blocks this version whatever its score'}
      </p>
    </Item>
  );
}

function Unknown({
  reason,
  signals,
}: {
  readonly reason: UnknownReason | null;
  readonly signals: readonly ShownSignal[];
}) {
  const count = plural(signals.length, { one: '1 signal unknown', other: '# signals unknown' });
  return (
    <Fold summary={reason === null ? count : `${count}: ${UNKNOWN_REASON_LABELS[reason]}`} muted>
      {signals.map(({ id, means, max, evidence }) => (
        <Item key={id} icon={QuestionIcon} color="text-muted" state="Unknown">
          {max !== null && (
            <Amount>
              <span className="font-normal text-muted">up to {max}</span>
            </Amount>
          )}
          <code className="text-xs break-all">{id}</code>
          <p className="text-muted">{means}</p>
          {evidence !== null && (
            <p className="mt-1 text-muted [overflow-wrap:anywhere]">
              <ForeignText text={evidence} />
            </p>
          )}
        </Item>
      ))}
    </Fold>
  );
}

function Fold({
  summary,
  muted = false,
  children,
}: {
  readonly summary: string;
  readonly muted?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <details>
      <summary
        className={clsx(
          'cursor-pointer rounded-panel px-4 py-2.5 text-sm hover:bg-subtle',
          muted ? 'text-muted' : 'font-medium',
        )}
      >
        {summary}
      </summary>
      <ul className="divide-y divide-line border-t border-line">{children}</ul>
    </details>
  );
}

function Item({
  icon,
  color,
  state,
  children,
}: {
  readonly icon: typeof CheckIcon;
  readonly color: string;
  readonly state: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex gap-3 px-4 py-3 text-sm">
      <span className={clsx('mt-[3px]', color)}>
        <Icon of={icon} />
        <span className="sr-only">{state}: </span>
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  );
}

function Amount({ children }: { readonly children: ReactNode }) {
  return <p className="float-end ms-4 font-semibold whitespace-nowrap tabular-nums">{children}</p>;
}
