import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { describeDatabase, describeSite } from '#lib/services/pages/site.ts';
import { NeedsScript } from '../../components/session/needs-script.tsx';
import { SignIn } from '../../components/session/sign-in.tsx';
import { Banner } from '../../components/ui/banner.tsx';
import { Page, PageHeader } from '../../components/ui/frame.tsx';

export const metadata: Metadata = { title: 'Sign in', robots: { index: false, follow: false } };

export default async function SignInPage() {
  const context = pageContext(await headers());
  const { codeHost } = describeSite(context);
  const database = describeDatabase(context);
  return (
    <Page narrow>
      <PageHeader title="Sign in">
        <p>See the attack paths of your repositories, decide on findings, and fix them by pull request.</p>
      </PageHeader>
      {database === null ? (
        <Banner tone="neutral" title="Signing in is disabled on this server">
          <p>This server has no database. The documentation lists the variables.</p>
        </Banner>
      ) : (
        <>
          <NeedsScript />
          <SignIn database={database} host={codeHost} />
        </>
      )}
    </Page>
  );
}
