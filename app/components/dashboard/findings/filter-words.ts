import { CATEGORY_LABELS, CONFIDENCE_LABELS, SEVERITY_LABELS } from '../../../messages.ts';
import type { Age, Filters } from './filters.ts';
import { STATUS_TEXTS } from './status.ts';

export const AGE_LABELS: Readonly<Record<Age, string>> = {
  1: 'In the last day',
  7: 'In the last 7 days',
  30: 'In the last 30 days',
  90: 'In the last 90 days',
  365: 'In the last year',
};

export const SEEN_LABELS = { present: 'Found it', fixed: 'Fixed since', missed: 'Did not look for it' } as const;

export function wordsOf(filters: Filters, repository: string | undefined): readonly string[] {
  const { status, sev, rule, repo, cat, conf, fix, age, seen, q } = filters;
  const set: readonly (readonly [name: string, value: string | null])[] = [
    ['Status', status === 'any' ? 'any' : STATUS_TEXTS[status].label],
    ['Severity', sev.length === 0 ? null : sev.map((each) => SEVERITY_LABELS[each].label).join(', ')],
    ['Rule', rule],
    ['Repository', repo === null ? null : (repository ?? repo)],
    ['Category', cat === null ? null : (CATEGORY_LABELS[cat] ?? cat)],
    ['Confidence', conf === null ? null : CONFIDENCE_LABELS[conf].label],
    ['Fix', fix === null ? null : fix ? 'Automatic' : 'By hand'],
    ['First seen', age === null ? null : AGE_LABELS[age]],
    ['Last scan', seen === 'present' ? null : SEEN_LABELS[seen]],
    ['Title or file', q.trim() === '' ? null : `“${q.trim()}”`],
  ];
  return set.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
}
