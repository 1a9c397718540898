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
      {refused.code === 'not-found' && <PrivateRepository />}
      {refused.requestId !== undefined && (
        <p className="mt-1 text-muted">
          If this keeps happening, report this id: <code className="break-all">{refused.requestId}</code>
        </p>
      )}
    </Banner>
  );
}

function PrivateRepository() {
  return (
    <ul className="mt-1 list-disc space-y-1 ps-5">
      <li>
        <a href="/setup" className="link">
          Connect your repositories
        </a>
        : the app scans private ones too, and only members of your organization see the result.
      </li>
      <li>
        <a href="/docs/install" className="link">
          Install the command line
        </a>{' '}
        and run <code>chainbreak scan .</code> in a clone. No file leaves your machine.
      </li>
    </ul>
  );
}
