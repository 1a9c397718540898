import type { HardenReply } from '#lib/services/hardening/workflow.ts';
import { SEVERITIES, type Severity } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { adviceOf, isForReview } from '../domain/refusal.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';

type Refused = HardenReply['refused'];

interface Group {
  readonly id: string;
  readonly reason: string;
  readonly lines: number[];
}

interface Props {
  readonly refused: Refused;
  readonly severities: Readonly<Record<string, Severity>>;
}

const MAX_LINES = 12;

export function Refusals({ refused, severities }: Props) {
  const parts = [
    { id: 'by-hand', title: 'Needs you: no fix is certain', refused: refused.filter((each) => !isForReview(each)) },
    { id: 'for-review', title: 'Needs a click: the fix can change behaviour', refused: refused.filter(isForReview) },
  ];
  return (
    <section aria-labelledby="refused">
      <h2 id="refused" className="mt-10 text-lg font-semibold">
        Not fixed, and why
      </h2>
      <p className="mt-1 text-sm text-muted">
        With the usual severity of each rule. The result above rates the findings of this file.
      </p>
      {parts
        .filter((part) => part.refused.length > 0)
        .map((part) => (
          <div key={part.id}>
            <h3 className="mt-4 mb-2 text-sm font-semibold">{part.title}</h3>
            <ul className="divide-y divide-line rounded-panel border border-line text-sm">
              {groupsOf(part.refused, severities).map(({ id, reason, lines }) => (
                <li
                  key={`${id} ${reason}`}
                  className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[6.5rem_minmax(0,1fr)]"
                >
                  <span>{severities[id] !== undefined && <SeverityChip severity={severities[id]} />}</span>
                  <div className="min-w-0">
                    <p>
                      <RuleLink id={id} />{' '}
                      <span className="text-muted tabular-nums">
                        {plural(lines.length, { one: 'line ', other: 'lines ' })}
                        {lines.slice(0, MAX_LINES).join(', ')}
                        {lines.length > MAX_LINES &&
                          plural(lines.length - MAX_LINES, { one: ' and 1 more', other: ' and # more' })}
                      </span>
                    </p>
                    <p className="mt-1 break-words">
                      <RuleText text={adviceOf({ reason })} />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </section>
  );
}

function groupsOf(refused: Refused, severities: Props['severities']): Group[] {
  const groups = new Map<string, Group>();
  for (const { rule_id: id, line, reason } of refused) {
    const key = `${id} ${reason}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { id, reason, lines: [line] });
    else known.lines.push(line);
  }
  const rank = ({ id }: Group) => SEVERITIES.indexOf(severities[id] ?? 'INFO');
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}
