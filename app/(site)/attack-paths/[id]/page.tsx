import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readCombinationPage } from '#lib/services/pages/combination-page.ts';
import { Chain } from '../../../components/combination/chain.tsx';
import { CombinationFacts } from '../../../components/combination/facts.tsx';
import { Needs } from '../../../components/combination/needs.tsx';
import { BreakChain } from '../../../components/combination/remedy.tsx';
import { VulnerableExamples } from '../../../components/combination/vulnerable-examples.tsx';
import { Weakening } from '../../../components/combination/weakening.tsx';
import { Neighbours } from '../../../components/domain/neighbours.tsx';
import { RuleText } from '../../../components/domain/rule-text.tsx';
import { Incidents, References } from '../../../components/rule/sources.tsx';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';
import { MEETING_LABELS } from '../../../messages.ts';

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const page = readCombinationPage(id);
  if (page === undefined) return {};
  const { title, impact, breakChain } = page;
  const description = `${impact} ${breakChain}`.replaceAll('`', '');
  return {
    title: `${title} (${id})`,
    description,
    alternates: { canonical: `/attack-paths/${id}` },
    openGraph: { title, description, type: 'article', url: `/attack-paths/${id}` },
  };
}

export default async function CombinationDetails({ params }: Props) {
  const page = readCombinationPage((await params).id);
  if (page === undefined) notFound();
  const { id, title, impact, meeting, bad, incidents, references, previous, next } = page;
  return (
    <Page>
      <PageHeader
        title={title}
        above={
          <>
            <a href="/attack-paths" className="link">
              Attack paths
            </a>{' '}
            / <code className="break-all">{id}</code>
          </>
        }
      />
      <CombinationFacts {...page} />
      <Section id="why" title="Why it matters">
        <p className="max-w-[70ch]">
          <RuleText text={impact} /> {MEETING_LABELS[meeting].meaning}
        </p>
      </Section>
      <Chain {...page} />
      <VulnerableExamples examples={bad} />
      <BreakChain {...page} />
      <Weakening {...page} />
      <Needs {...page} />
      <Incidents incidents={incidents} />
      <References references={references} />
      <Neighbours
        folder="/attack-paths"
        list="All attack paths"
        label="Other attack paths"
        previous={previous}
        next={next}
      />
    </Page>
  );
}
