import { Banner } from '../ui/banner.tsx';
import { type Refused, sentencesFor } from './sentences.ts';

export function ScanProblem({
  id,
  refused,
  host,
  live = false,
}: {
  readonly id?: string;
  readonly refused: Refused;
  readonly host: string;
  readonly live?: boolean;
}) {
  const { title, next } = sentencesFor(refused, host);
  const mild = ['validation-failed', 'not-found', 'rate-limited', 'forbidden'].includes(refused.code);
  return (
    <Banner id={id} tone={mild ? 'warning' : 'failure'} title={title} role={live ? 'alert' : undefined}>
      <p>{next}</p>
      {refused.requestId !== undefined && (
        <p className="mt-1 text-muted">
          If this keeps happening, report this id: <code className="break-all">{refused.requestId}</code>
        </p>
      )}
    </Banner>
  );
}
