import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { visible } from '#lib/report/visible.ts';
import { canScore } from '#lib/services/pages/action-directory.ts';
import type { ActionPage } from '#lib/services/pages/action-page.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { Details } from '../../../../components/action/details.tsx';
import { loadAction } from './load.ts';

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { owner, name } = await params;
  const action = await loadAction(owner, name);
  const title = `${owner}/${name}: risk score`;
  const description = summaryOf(action);
  const path = `/actions/${owner}/${name}`;
  return {
    title,
    description,
    alternates: { canonical: path },
    openGraph: { title, description, type: 'article', url: path },
    ...(action.latest === null ? { robots: { index: false } } : {}),
  };
}

export default async function ActionDetails({ params }: Props) {
  const { owner, name } = await params;
  const action = await loadAction(owner, name);
  const context = pageContext(await headers());
  return <Details action={action} codeHostUrl={describeSite(context).codeHostUrl} canScore={canScore(context)} />;
}

function summaryOf({ owner, name, latest }: ActionPage): string {
  if (latest === null)
    return `${owner}/${name} has no risk score yet: what it does and who maintains it were not checked.`;
  const { score, shownBand, ref, sha, scoredAt } = latest;
  const band = shownBand === null ? 'provisional' : `band ${shownBand}`;
  const version = ref === null ? sha.slice(0, 7) : visible(ref);
  return `Risk score ${score} of 100 (${band}) for ${version}, as of ${scoredAt.slice(0, 10)}: what lowers it, its history, and the line that pins it.`;
}
