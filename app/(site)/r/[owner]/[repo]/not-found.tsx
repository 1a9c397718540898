import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { listRules } from '#lib/services/rules/catalog.ts';
import { MissingReport } from '../../../../components/report/missing-report.tsx';
import { Page, PageHeader } from '../../../../components/ui/frame.tsx';

export default async function ReportNotFound() {
  const { codeHost } = describeSite(pageContext(await headers()));
  return (
    <Page narrow>
      <PageHeader title="No report yet" above="404" />
      <MissingReport host={codeHost} rules={listRules().length} />
    </Page>
  );
}
