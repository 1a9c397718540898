import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { canScore } from '#lib/services/pages/action-directory.ts';
import { MissingAction } from '../../../../components/action/missing-action.tsx';
import { SimilarPages } from '../../../../components/domain/similar-pages.tsx';
import { Page, PageHeader } from '../../../../components/ui/frame.tsx';

export default async function ActionNotFound() {
  return (
    <Page narrow>
      <PageHeader title="Action not found" above="404" />
      <MissingAction canScore={canScore(pageContext(await headers()))} />
      <p className="mt-4 text-sm text-muted">
        Browse the{' '}
        <a className="link" href="/actions">
          scored actions
        </a>
        .
      </p>
      <SimilarPages />
    </Page>
  );
}
