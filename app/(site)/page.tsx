import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { isProblemCode } from '#lib/errors.ts';
import { type PageContext, pageContext } from '#lib/http/page-context.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { readPublicStats } from '#lib/services/public-scans/stats.ts';
import { listRules } from '#lib/services/rules/catalog.ts';
import { BadgeExample } from '../components/landing/badge-example.tsx';
import { Checks } from '../components/landing/checks.tsx';
import { Example } from '../components/landing/example.tsx';
import { Figures, RecentScans, TopRules } from '../components/landing/statistics.tsx';
import { ScanForm } from '../components/scan/scan-form.tsx';
import { type Refused, sentencesFor } from '../components/scan/sentences.ts';
import { Page, PageHeader, Section } from '../components/ui/frame.tsx';
import { plural, SITE } from '../messages.ts';

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
  const rules = listRules();
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
          rules={rules.length}
          examples={site.examples}
          typed={text(query['repo']).slice(0, 500)}
          refused={refusedBy(query)}
        />
      </div>
      {statistics !== null && <Figures statistics={statistics} />}
      <Example />
      <Section id="checks" title="What we check">
        <p className="mb-4 max-w-[70ch]">
          {plural(rules.length, { one: '1 rule', other: '# rules' })} for workflows, actions and the Dependabot
          configuration.{' '}
          <a className="link" href="/rules">
            Each rule
          </a>{' '}
          explains what an attacker gains, what to change and what it cannot see.
        </p>
        <Checks rules={rules} />
      </Section>
      <Section id="privacy" title="What stays private">
        <ul className="max-w-[70ch] list-disc space-y-2 ps-5">
          <li>
            The report shows how many findings there are, their severity, and the titles of the first three. It never
            shows files, lines or how to exploit them, and neither does the stored copy.
          </li>
          <li>Only public repositories are read. No code is executed and no file is stored.</li>
          <li>
            Results are cached for an hour. The link stays valid; search engines are asked not to index it. Recent scans
            are listed below with these numbers.
          </li>
          <li>We rate-limit on a keyed hash of your IP address and never store the address itself.</li>
        </ul>
      </Section>
      {statistics !== null && <TopRules rules={statistics.top_rules} />}
      {statistics !== null && <RecentScans recent={statistics.recent} />}
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
