import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { formatTime } from '../domain/time.tsx';
import { RescanForm } from '../scan/rescan-form.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';

interface Props {
  readonly shared: SharedReport;
  readonly host: string;
  readonly rules: number;
}

export function Rescan({ shared: { report, outdated, isRescannable, freshFrom }, host, rules }: Props) {
  return (
    <Panel>
      <h2 className="mb-3 font-semibold">Scan again</h2>
      {outdated && (
        <p className="mb-3 text-sm">
          There is a newer scan of this repository.{' '}
          <a href={`/r/${report.repo}`} className={buttonClass('secondary', 'mt-2')}>
            Open the newest report
          </a>
        </p>
      )}
      {isRescannable ? (
        <RescanForm repo={report.repo} host={host} rules={rules} />
      ) : (
        <>
          {!outdated && <Button disabled>Scan again</Button>}
          <p className="mt-2 text-sm text-muted">{`You can rescan at ${formatTime(freshFrom)}.`}</p>
        </>
      )}
    </Panel>
  );
}
