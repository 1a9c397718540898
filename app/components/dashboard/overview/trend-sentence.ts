import { SEVERITIES, SEVERITY_LABELS } from '../../../messages.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { type Point, total } from '../charts/steps.ts';

const COMPARED_DAYS = 30;

export function sentenceOf(points: readonly Point[]): string {
  const now = points.at(-1);
  if (now === undefined || total(now.counts) === 0) return 'Nothing is open.';
  const before = points.at(-1 - COMPARED_DAYS);
  const severity = SEVERITIES.find((each) => now.counts[each] > 0 || (before?.counts[each] ?? 0) > 0) ?? 'HIGH';
  const count = now.counts[severity];
  const told = `${formatNumber(count)} ${SEVERITY_LABELS[severity].label.toLowerCase()}`;
  if (before === undefined || total(before.counts) === 0)
    return `${told}. No findings were recorded ${COMPARED_DAYS} days ago.`;
  const more = count - before.counts[severity];
  if (more === 0) return `${told}, as many as ${COMPARED_DAYS} days ago.`;
  const difference = plural(
    Math.abs(more),
    more > 0 ? { one: '1 more', other: '# more' } : { one: '1 fewer', other: '# fewer' },
  );
  return `${told}, ${difference} than ${COMPARED_DAYS} days ago.`;
}
