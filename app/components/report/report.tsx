import { visible } from '#lib/report/visible.ts';
import type { Site } from '#lib/services/pages/site.ts';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { listRules } from '#lib/services/rules/catalog.ts';
import { Page, PageHeader } from '../ui/frame.tsx';
import { AttackPaths } from './attack-paths.tsx';
import { Findings } from './findings.tsx';
import { NotAssessedRules } from './not-assessed.tsx';
import { OldDataNotice } from './old-data.tsx';
import { OnYourMachine } from './on-your-machine.tsx';
import { Origin } from './origin.tsx';
import { Passed } from './passed.tsx';
import { Rescan } from './rescan.tsx';
import { Share } from './share.tsx';
import { Verdict } from './verdict.tsx';

interface Props {
  readonly shared: SharedReport;
  readonly site: Site;
  readonly webUrl: string;
}

export function Report({ shared, site, webUrl }: Props) {
  const { report, badge, outlook, commit, engineVersion, oldData } = shared;
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
          <Verdict shared={shared} connectUrl={site.connectUrl} />
          {outlook !== undefined && <AttackPaths paths={outlook.paths} />}
          {report.findings > 0 && (
            <Findings
              shown={report.top_findings}
              counts={report.counts}
              why={new Map(rules.map(({ id, description }) => [id, description]))}
            />
          )}
          {outlook !== undefined && badge !== 'no workflows' && <Passed checks={outlook.checks} />}
          {badge !== 'no workflows' && <NotAssessedRules rules={report.not_assessed} />}
          {oldData !== undefined && <OldDataNotice {...oldData} at="scan" />}
        </div>
        <div className="space-y-4">
          <Rescan shared={shared} host={site.codeHost} rules={rules.length} />
          <Share
            repo={visible(report.repo)}
            badge={badge}
            url={`${webUrl}/s/${report.slug}`}
            newestUrl={`${webUrl}/r/${report.repo}`}
            badgeUrl={`${webUrl}/api/badge/${report.repo}.svg`}
          />
          <OnYourMachine />
        </div>
      </div>
    </Page>
  );
}
