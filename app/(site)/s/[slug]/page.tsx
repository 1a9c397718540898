import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { visible } from '#lib/report/visible.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { Report } from '../../../components/report/report.tsx';
import { verdictOf } from '../../../components/report/verdict-sentences.ts';
import { loadReport } from './load.ts';

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const shared = await loadReport((await params).slug);
  const title = `${visible(shared.report.repo)}: workflow security`;
  const verdict = verdictOf(shared);
  const description = [`${verdict.title}.`, ...verdict.sentences].join(' ');
  return {
    title,
    description,
    robots: { index: false, follow: false },
    openGraph: { title, description, type: 'website' },
  };
}

export default async function ReportPage({ params }: Props) {
  const shared = await loadReport((await params).slug);
  const context = pageContext(await headers());
  return <Report shared={shared} site={describeSite(context)} webUrl={context.env.webUrl} />;
}
