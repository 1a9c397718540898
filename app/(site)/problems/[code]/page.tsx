import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { isProblemCode } from '#lib/errors.ts';
import { PROBLEMS } from '#lib/http/route/problem.ts';
import { Page, PageHeader } from '../../../components/ui/frame.tsx';

interface Props {
  readonly params: Promise<{ readonly code: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { code } = await params;
  return isProblemCode(code) ? { title: PROBLEMS[code].title, description: PROBLEMS[code].explanation } : {};
}

export default async function ProblemPage({ params }: Props) {
  const { code } = await params;
  if (!isProblemCode(code)) notFound();
  const { title, status, explanation } = PROBLEMS[code];
  return (
    <Page narrow>
      <PageHeader title={title} above={`HTTP status ${status}`}>
        <p>
          In a response: <code>{`"code": "${code}"`}</code>
        </p>
      </PageHeader>
      <p className="max-w-[70ch]">{explanation}</p>
      <p className="mt-8">
        <a className="link" href="/problems">
          All problems
        </a>
      </p>
    </Page>
  );
}
