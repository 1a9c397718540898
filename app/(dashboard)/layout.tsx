import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { pageContext } from '#lib/http/page-context.ts';
import { describeDatabase, describeSite } from '#lib/services/pages/site.ts';
import { Dashboard } from '../components/dashboard/dashboard.tsx';
import { NeedsScript } from '../components/session/needs-script.tsx';
import { Banner } from '../components/ui/banner.tsx';
import { Page } from '../components/ui/frame.tsx';

export const metadata: Metadata = { robots: { index: false, follow: false } };

export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const context = pageContext(await headers());
  const { codeHost, codeHostUrl, connectUrl } = describeSite(context);
  const database = describeDatabase(context);
  if (database === null) {
    return (
      <Page narrow>
        <Banner tone="neutral" title="Signing in is disabled on this server">
          <p>This server has no database. The documentation lists the variables.</p>
        </Banner>
      </Page>
    );
  }
  return (
    <>
      <NeedsScript />
      <Dashboard
        database={database}
        host={codeHost}
        hostUrl={codeHostUrl}
        connectUrl={connectUrl}
        nonce={context.nonce}
      >
        {children}
      </Dashboard>
    </>
  );
}
