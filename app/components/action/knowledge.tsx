import type { ShownScore } from '#lib/services/pages/action-page.ts';
import { UNKNOWN_REASON_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { Section } from '../ui/frame.tsx';

export function Knowledge({ latest }: { readonly latest: ShownScore }) {
  const { score, floor, coverage, provisional, advisoriesKnown, families } = latest;
  const reasons = new Map<string, number>();
  for (const { reason } of families.flatMap(({ unknown }) => unknown)) {
    const why = reason === null ? 'not_supported' : reason;
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  return (
    <Section id="unknown" title="What is unknown">
      <p className="text-sm">
        {coverage === 100 ? 'Nothing: every signal could be checked' : `${coverage}% of the points could be checked`}
        {provisional && ', too little for more than a provisional score'}.
      </p>
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="mt-2 h-2 w-full max-w-[70ch] rounded-full"
      >
        <rect width="100" height="8" className="fill-inset" />
        <rect width={coverage} height="8" className={provisional ? 'fill-medium-solid' : 'fill-ok'} />
      </svg>
      {!advisoriesKnown && (
        <p className="mt-3 text-sm">Published advisories could not be read, so no band A or B is shown.</p>
      )}
      {reasons.size > 0 && (
        <>
          <ul className="mt-3 space-y-2 text-sm">
            {[...reasons].map(([reason, count]) => (
              <li key={reason}>
                <span className="font-medium">
                  {plural(count, { one: '1 signal', other: '# signals' })}
                  {': '}
                </span>
                <span className="text-muted">
                  {UNKNOWN_REASON_LABELS[reason as keyof typeof UNKNOWN_REASON_LABELS]}
                </span>
              </li>
            ))}
          </ul>
          <p className="mt-3 text-sm text-muted">
            Unknown signals cost nothing.{' '}
            {floor < score &&
              `If all of them were present, the score would be ${floor} instead of ${score}: the pale part of the ring.`}
          </p>
        </>
      )}
    </Section>
  );
}
