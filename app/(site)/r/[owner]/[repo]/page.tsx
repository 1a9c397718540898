import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { visible } from '#lib/report/visible.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { Report } from '../../../../components/report/report.tsx';
import { verdictOf } from '../../../../components/report/verdict-sentences.ts';
import { loadNewest } from './load.ts';

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly repo: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { owner, repo } = await params;
  const shared = await loadNewest(owner, repo);
  const title = `${visible(shared.report.repo)}: workflow security`;
  const description = `${verdictOf(shared).title}.`;
  return {
    title,
    description,
    robots: { index: false, follow: false },
    openGraph: { title, description, type: 'website' },
  };
}

export default async function NewestReport({ params }: Props) {
  const { owner, repo } = await params;
  const shared = await loadNewest(owner, repo);
  const context = pageContext(await headers());
  return <Report shared={shared} site={describeSite(context)} webUrl={context.env.webUrl} />;
}
