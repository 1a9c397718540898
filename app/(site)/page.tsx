import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { isProblemCode } from '#lib/errors.ts';
import { type PageContext, pageContext } from '#lib/http/page-context.ts';
import { describeLanding } from '#lib/services/pages/landing.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { readPublicStats } from '#lib/services/public-scans/stats.ts';
import { BadgeExample } from '../components/landing/badge-example.tsx';
import { Example } from '../components/landing/example.tsx';
import { Incidents } from '../components/landing/incidents.tsx';
import { Proof } from '../components/landing/proof.tsx';
import { RealChain } from '../components/landing/real-chain.tsx';
import { Figures, TopRules } from '../components/landing/statistics.tsx';
import { Ways } from '../components/landing/ways.tsx';
import { ScanForm } from '../components/scan/scan-form.tsx';
import { type Refused, sentencesFor } from '../components/scan/sentences.ts';
import { Page, PageHeader, Section } from '../components/ui/frame.tsx';
import { SITE } from '../site.ts';

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const refused = refusedBy(await searchParams);
  if (refused === null)
    return {
      title: { absolute: `${SITE.name}: attack paths in GitHub Actions workflows` },
      alternates: { canonical: '/' },
    };
  const { codeHost } = describeSite(pageContext(await headers()));
  return { title: sentencesFor(refused, codeHost).title, robots: { index: false } };
}

export default async function Home({ searchParams }: Props) {
  const context = pageContext(await headers());
  const query = await searchParams;
  const site = describeSite(context);
  const landing = describeLanding();
  const statistics = await readStatistics(context);
  return (
    <Page>
      <PageHeader title="Find the attack paths in your GitHub Actions workflows">
        <p>
          {SITE.name} scans your workflows, shows how an attacker could chain weaknesses into a takeover, and gives you
          the change that breaks each chain.
        </p>
      </PageHeader>
      <div className="rounded-panel border border-line bg-subtle p-4 sm:p-6">
        <ScanForm
          host={site.codeHost}
          rules={landing.rules}
          examples={site.examples}
          typed={text(query['repo']).slice(0, 500)}
          refused={refusedBy(query)}
        />
      </div>
      <Proof landing={landing} />
      {statistics !== null && <Figures statistics={statistics} />}
      {landing.chain !== undefined && <RealChain chain={landing.chain} />}
      <Example />
      <Ways host={site.codeHost} />
      <Incidents {...landing} />
      <Section id="privacy" title="What stays private">
        <ul className="grid list-disc gap-x-10 gap-y-3 ps-5 sm:grid-cols-2">
          <li>
            The report shows how many findings there are, their severity, the titles of the first three and the kinds of
            attack path. It never shows files, lines or how to exploit them, and neither does the stored copy.
          </li>
          <li>Only public repositories are read. No code is executed and no file is stored.</li>
          <li>
            Results are cached for an hour. The link stays valid; search engines are asked not to index it. No page
            lists scanned repositories; the statistics of the API name the last ten.
          </li>
          <li>We rate-limit on a keyed hash of your IP address and never store the address itself.</li>
        </ul>
      </Section>
      {statistics !== null && <TopRules rules={statistics.top_rules} />}
      <BadgeExample webUrl={context.env.webUrl} />
    </Page>
  );
}

async function readStatistics(context: PageContext) {
  if (context.env.database === null) return null;
  try {
    return await readPublicStats(context);
  } catch (error) {
    context.log.warn('start page without statistics', { error });
    return null;
  }
}

/** Anyone can write this URL, so only the code is read from it; the sentences are ours. */
function refusedBy(query: Awaited<Props['searchParams']>): Refused | null {
  const code = text(query['problem']);
  if (!isProblemCode(code)) return null;
  const wait = Number.parseInt(text(query['wait']), 10);
  return { code, wait: wait >= 1 && wait <= 86_400 ? wait : undefined };
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
