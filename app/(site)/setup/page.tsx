import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { oldDataAt } from '#lib/services/pages/old-data.ts';
import { describeDatabase, describeSite } from '#lib/services/pages/site.ts';
import { OldDataNotice } from '../../components/report/old-data.tsx';
import { NeedsScript } from '../../components/session/needs-script.tsx';
import { Setup } from '../../components/setup/setup.tsx';
import { Banner } from '../../components/ui/banner.tsx';
import { Page, PageHeader } from '../../components/ui/frame.tsx';

export const metadata: Metadata = { title: 'Connect repositories', robots: { index: false, follow: false } };

export default async function SetupPage() {
  const context = pageContext(await headers());
  const site = describeSite(context);
  const database = describeDatabase(context);
  const oldData = oldDataAt(new Date());
  return (
    <Page>
      <PageHeader title="Connect your repositories">
        <p>Connect an account at {site.codeHost} to scan every repository the app can access.</p>
      </PageHeader>
      {database === null ? (
        <Banner tone="neutral" title="Connecting repositories is disabled on this server">
          <p>This server has no database. The documentation lists the variables.</p>
        </Banner>
      ) : (
        <div className="min-h-dvh">
          <NeedsScript />
          <Setup
            database={database}
            host={site.codeHost}
            connectUrl={site.connectUrl}
            notice={oldData && <OldDataNotice {...oldData} at="today" />}
          />
        </div>
      )}
    </Page>
  );
}
