import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { Neighbours } from '../../../components/domain/neighbours.tsx';
import { RuleText } from '../../../components/domain/rule-text.tsx';
import { Combinations } from '../../../components/rule/combinations.tsx';
import { Examples } from '../../../components/rule/examples.tsx';
import { Facts } from '../../../components/rule/facts.tsx';
import { Remedy } from '../../../components/rule/remedy.tsx';
import { Scores } from '../../../components/rule/scores.tsx';
import { Incidents, References } from '../../../components/rule/sources.tsx';
import { Suppress } from '../../../components/rule/suppress.tsx';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const page = readRulePage(id);
  if (page === undefined) return {};
  const { title, why } = page.meta;
  const description = firstSentences(why.replaceAll('`', ''), 160);
  return {
    title: `${title} (${id})`,
    description,
    alternates: { canonical: `/rules/${id}` },
    openGraph: { title, description, type: 'article', url: `/rules/${id}` },
  };
}

export default async function RuleDetails({ params }: Props) {
  const page = readRulePage((await params).id);
  if (page === undefined) notFound();
  const { id, meta, good, combinations, incidents, previous, next } = page;
  const bad = [...page.bad].sort((a, b) => Number(b.fixed !== undefined) - Number(a.fixed !== undefined));
  return (
    <Page>
      <PageHeader
        title={meta.title}
        above={
          <>
            <a href="/rules" className="link">
              Rules
            </a>{' '}
            / <code className="break-all">{id}</code>
          </>
        }
      />
      <Facts {...page} />
      <Text id="why" title="Why it matters" text={meta.why} />
      <Text id="attack" title="How it is exploited" text={meta.attack} />
      <Examples id="found" title="Vulnerable example" name="Vulnerable" examples={bad} />
      <Remedy recommendation={meta.recommendation} example={bad[0]} />
      <Examples id="left" title="Not flagged" name="Not flagged" examples={good} />
      <Text id="limits" title="Limitations" text={meta.limits} />
      <Suppress id={id} meta={meta} />
      <Scores meta={meta} />
      <Combinations combinations={combinations} />
      <Incidents incidents={incidents} />
      <References references={meta.references} />
      <Neighbours folder="/rules" list="All rules" label="Other rules" previous={previous} next={next} />
    </Page>
  );
}

function Text({ id, title, text }: { readonly id: string; readonly title: string; readonly text: string }) {
  return (
    <Section id={id} title={title}>
      <p className="max-w-[70ch]">
        <RuleText text={text} />
      </p>
    </Section>
  );
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

function firstSentences(text: string, length: number): string {
  let result = '';
  for (const { segment } of SENTENCES.segment(text)) {
    if (result !== '' && (result + segment).trim().length > length) break;
    result += segment;
  }
  return result.trim();
}
