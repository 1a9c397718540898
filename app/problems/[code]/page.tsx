import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { isProblemCode, PROBLEMS } from '../../../lib/http/problem.ts';

interface Props {
  readonly params: Promise<{ readonly code: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { code } = await params;
  return isProblemCode(code) ? { title: PROBLEMS[code].title } : {};
}

export default async function ProblemPage({ params }: Props) {
  const { code } = await params;
  if (!isProblemCode(code)) notFound();
  const { title, status, explanation } = PROBLEMS[code];
  return (
    <>
      <h1>{title}</h1>
      <p className="muted">
        <code>{code}</code>, HTTP status {status}
      </p>
      <p>{explanation}</p>
      <p>
        <a href="/problems">All problems</a>
      </p>
    </>
  );
}
