import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { isProblemCode } from '#lib/errors.ts';
import { actionFilterPath, readActionFilter } from '#lib/http/action-filter.ts';
import { pageContext } from '#lib/http/page-context.ts';
import { actionNamed, browseActions, canScore, readRecentMoves } from '#lib/services/pages/action-directory.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { Directory, type Refused } from '../../components/actions/directory.tsx';

type Query = Readonly<Record<string, string | string[] | undefined>>;

interface Props {
  readonly searchParams: Promise<Query>;
}

const TITLE = 'Risk scores of GitHub Actions';
const DESCRIPTION =
  'What the code, repository, tags and advisories of published actions say about the risk of running them, for the commit that runs.';

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { filter } = readActionFilter(await searchParams);
  const searched = filter.text !== '' || filter.bands.length > 0 || filter.sort !== 'score' || filter.descending;
  return {
    title: TITLE,
    description: DESCRIPTION,
    alternates: { canonical: searched ? '/actions' : actionFilterPath(filter) },
    openGraph: { title: TITLE, description: DESCRIPTION, url: '/actions' },
  };
}

export default async function ActionDirectory({ searchParams }: Props) {
  const query = await searchParams;
  const { filter, unknown } = readActionFilter(query);
  const context = pageContext(await headers());
  if (context.env.database === null) notFound();
  const isStart = filter.text === '' && filter.bands.length === 0 && filter.page === 1;
  const [listed, moves] = await Promise.all([browseActions(context, filter), isStart ? readRecentMoves(context) : []]);
  const named = actionNamed(context, filter.text);
  const wanted = `${named?.owner}/${named?.name}`.toLowerCase();
  const isListed = listed.actions.some(({ owner, name }) => `${owner}/${name}`.toLowerCase() === wanted);
  return (
    <Directory
      listed={listed}
      filter={filter}
      unknown={unknown}
      moves={moves}
      missing={isListed || !canScore(context) ? undefined : named}
      refused={refusedBy(query)}
      host={describeSite(context).codeHost}
    />
  );
}

function refusedBy(query: Query): Refused | null {
  const code = text(query['problem']);
  if (!isProblemCode(code)) return null;
  const wait = Number.parseInt(text(query['wait']), 10);
  return {
    code,
    wait: wait >= 1 && wait <= 86_400 ? wait : undefined,
    input: text(query['action']).slice(0, 120),
  };
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
