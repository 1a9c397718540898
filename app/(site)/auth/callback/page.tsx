import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { pageContext } from '#lib/http/page-context.ts';
import { describeDatabase } from '#lib/services/pages/site.ts';
import { NeedsScript } from '../../../components/session/needs-script.tsx';
import { SignInEnd } from '../../../components/session/sign-in-end.tsx';
import { Page, PageHeader } from '../../../components/ui/frame.tsx';

export const metadata: Metadata = { title: 'Sign-in', robots: { index: false, follow: false } };

export default async function CallbackPage() {
  const database = describeDatabase(pageContext(await headers()));
  if (database === null) notFound();
  return (
    <Page narrow>
      <PageHeader title="Sign-in" />
      <NeedsScript />
      <SignInEnd database={database} />
    </Page>
  );
}
