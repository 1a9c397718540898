import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type RulePage, readRulePage } from '#lib/services/pages/rule-page.ts';
import { Neighbours } from '../../../components/domain/neighbours.tsx';
import { RuleText } from '../../../components/domain/rule-text.tsx';
import { SeverityChip } from '../../../components/domain/severity-chip.tsx';
import { Combinations } from '../../../components/rule/combinations.tsx';
import { Examples } from '../../../components/rule/examples.tsx';
import { Facts } from '../../../components/rule/facts.tsx';
import { Remedy } from '../../../components/rule/remedy.tsx';
import { Scores } from '../../../components/rule/scores.tsx';
import { Incidents, References } from '../../../components/rule/sources.tsx';
import { Suppress } from '../../../components/rule/suppress.tsx';
import { buttonClass } from '../../../components/ui/button.tsx';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';
import { CATEGORY_LABELS } from '../../../messages.ts';

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
  const { id, meta, bad, good, combinations, incidents, hardenableExample, previous, next } = page;
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
      >
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <SeverityChip severity={meta.severity} />
          <a href={`/rules?category=${meta.category}`} className="link">
            {CATEGORY_LABELS[meta.category]}
          </a>
          {page.fix !== 'none' && <span>{page.fix === 'safe' ? 'Fixed automatically' : 'Fix to review'}</span>}
        </p>
      </PageHeader>
      <Contents page={page} />
      <Text id="why" title="Why it matters" text={meta.why} />
      <Text id="attack" title="How it is exploited" text={meta.attack} />
      <Examples id="found" title="Vulnerable example" name="Vulnerable" examples={bad} />
      {hardenableExample !== undefined && (
        <p className="mt-4">
          <a href={`/harden?rule=${id}`} className={buttonClass('secondary')}>
            Try it in the hardener
          </a>
        </p>
      )}
      <Remedy recommendation={meta.recommendation} example={bad[0]} />
      <Examples id="left" title="Not flagged" name="Not flagged" examples={good} />
      <Text id="limits" title="Limitations" text={meta.limits} />
      <Combinations combinations={combinations} />
      <Incidents incidents={incidents} />
      <Suppress id={id} meta={meta} />
      <Scores meta={meta} />
      <Section id="facts" title="Details">
        <Facts {...page} />
      </Section>
      <References references={meta.references} />
      <Neighbours folder="/rules" list="All rules" label="Other rules" previous={previous} next={next} />
    </Page>
  );
}

function Contents({ page }: { readonly page: RulePage }) {
  const parts = [
    { id: 'attack', title: 'How it is exploited' },
    { id: 'found', title: 'Example' },
    { id: 'remedy', title: 'What to do' },
    ...(page.good.length > 0 ? [{ id: 'left', title: 'Not flagged' }] : []),
    ...(page.combinations.length > 0 ? [{ id: 'combinations', title: 'Attack paths' }] : []),
    ...(page.incidents.length > 0 ? [{ id: 'incidents', title: 'Seen in the wild' }] : []),
    { id: 'suppress', title: 'How to suppress it' },
    { id: 'facts', title: 'Details' },
  ];
  return (
    <nav aria-label="On this page">
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`} className="link inline-block py-1">
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
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
