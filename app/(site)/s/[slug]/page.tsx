import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { visible } from '#lib/report/visible.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { listRules } from '#lib/services/rules/catalog.ts';
import { formatTime } from '../../../components/domain/time.tsx';
import { CountsBySeverity } from '../../../components/report/counts.tsx';
import { Findings } from '../../../components/report/findings.tsx';
import { NextSteps } from '../../../components/report/next-steps.tsx';
import { NotAssessedRules } from '../../../components/report/not-assessed.tsx';
import { OldDataNotice } from '../../../components/report/old-data.tsx';
import { Origin } from '../../../components/report/origin.tsx';
import { Share } from '../../../components/report/share.tsx';
import { Verdict } from '../../../components/report/verdict.tsx';
import { RescanForm } from '../../../components/scan/rescan-form.tsx';
import { Page, PageHeader } from '../../../components/ui/frame.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import { plural } from '../../../messages.ts';
import { loadReport } from './load.ts';

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { report } = await loadReport((await params).slug);
  const title = `${visible(report.repo)}: workflow security`;
  const description = summaryOf(report.findings, report.workflow_files);
  return {
    title,
    description,
    robots: { index: false, follow: false },
    openGraph: { title, description, type: 'website' },
  };
}

export default async function ReportPage({ params }: Props) {
  const { slug } = await params;
  const { report, commit, engineVersion, freshFrom, outdated, oldData } = await loadReport(slug);
  const { env, ...context } = pageContext(await headers());
  const site = describeSite({ ...context, env });
  const rules = listRules();
  const repositoryUrl = `${site.codeHostUrl}/${report.repo}`;
  return (
    <Page>
      <PageHeader
        above="Workflow security of a public repository"
        title={
          <a
            href={repositoryUrl}
            rel="noopener noreferrer nofollow"
            className="break-words text-fg no-underline hover:underline"
          >
            {visible(report.repo)}
          </a>
        }
      >
        <Origin
          branch={report.default_branch}
          commit={commit}
          repositoryUrl={repositoryUrl}
          files={report.workflow_files}
          engineVersion={engineVersion}
          scannedAt={report.scanned_at}
        />
      </PageHeader>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          {report.findings === 0 ? (
            <Verdict report={report} />
          ) : (
            <Panel>
              <h2 className="mb-4 text-lg font-semibold">{summaryOf(report.findings, report.workflow_files)}</h2>
              <CountsBySeverity counts={report.counts} />
            </Panel>
          )}
          {report.findings > 0 && (
            <Findings
              shown={report.top_findings}
              counts={report.counts}
              why={new Map(rules.map(({ id, description }) => [id, description]))}
            />
          )}
          <NotAssessedRules rules={report.not_assessed} />
          {oldData !== undefined && <OldDataNotice {...oldData} at="scan" />}
        </div>
        <div className="space-y-4">
          <NextSteps connectUrl={site.connectUrl} nothingFound={report.findings === 0} />
          <Panel>
            <h2 className="font-semibold">Scan again</h2>
            <p className="mt-1 mb-3 text-sm text-muted">
              {outdated
                ? `There is a newer scan of this repository; the button opens it. You can rescan at ${formatTime(freshFrom)}.`
                : `You can rescan at ${formatTime(freshFrom)}.`}
            </p>
            <RescanForm repo={report.repo} host={site.codeHost} rules={rules.length} />
          </Panel>
          <Share
            repo={visible(report.repo)}
            counts={report.counts}
            url={`${env.webUrl}/s/${slug}`}
            badgeUrl={`${env.webUrl}/api/badge/${report.repo}.svg`}
          />
        </div>
      </div>
    </Page>
  );
}

function summaryOf(findings: number, files: number): string {
  const where = plural(files, { one: 'in 1 workflow file', other: 'in # workflow files' });
  return findings === 0
    ? `No findings ${where}`
    : `${plural(findings, { one: '1 finding', other: '# findings' })} ${where}`;
}
