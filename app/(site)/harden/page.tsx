import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { MAX_WORKFLOW_BYTES } from '#lib/services/hardening/harden.ts';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { severitiesOfRules } from '#lib/services/rules/catalog.ts';
import { Harden } from '../../components/harden/harden.tsx';
import { SAMPLE } from '../../components/harden/sample.ts';
import { Banner } from '../../components/ui/banner.tsx';
import { Page, PageHeader, Section } from '../../components/ui/frame.tsx';

export const metadata: Metadata = {
  title: 'Harden a workflow',
  description:
    'Paste a GitHub Actions workflow and get it back hardened. Every change cites its rule, and anything left unfixed comes with a reason.',
  alternates: { canonical: '/harden' },
};

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function HardenPage({ searchParams }: Props) {
  const context = pageContext(await headers());
  const { rule } = await searchParams;
  const { codeHost, asksRegistries } = describeSite(context);
  return (
    <Page>
      <PageHeader title="Harden a workflow">
        <p>
          Paste a workflow file and get it back with its weaknesses fixed. Every change cites its rule, and anything
          left unfixed comes with a reason.
        </p>
      </PageHeader>
      {context.env.database === null ? (
        <Banner tone="neutral" title="Hardening is disabled on this server">
          <p>
            This server has no database to count requests in; the documentation lists the variables. Locally,{' '}
            <code>chainbreak fix</code> does the same.
          </p>
        </Banner>
      ) : (
        <>
          <noscript>
            <Banner tone="neutral" title="This form needs JavaScript">
              <p>
                Without it, send the file to <code>POST /api/public/harden</code>, or run <code>chainbreak fix</code>{' '}
                locally.
              </p>
            </Banner>
          </noscript>
          <Harden
            sample={SAMPLE}
            initial={typeof rule === 'string' ? exampleOf(rule) : ''}
            severities={severitiesOfRules()}
            host={codeHost}
            maxBytes={MAX_WORKFLOW_BYTES}
          />
        </>
      )}
      <Section id="how" title="What happens to your file">
        <ul className="max-w-[70ch] list-disc space-y-2 ps-5">
          <li>It is sent to this server and neither stored nor logged.</li>
          <li>
            No code is executed. To pin actions to commits (CICD-SEC-3), their names and versions are looked up at{' '}
            {codeHost}. Only public repositories are queried.
            {asksRegistries &&
              ' With changes that need review, names of container images are sent to well-known registries to pin them to digests.'}
          </li>
          <li>
            Only the lines a fix needs are edited; comments and formatting stay untouched. After each fix the file is
            checked again, and a fix that would break something is reverted.
          </li>
          <li>Limit: 5 requests per minute per IP address, shared with repository scans.</li>
        </ul>
      </Section>
    </Page>
  );
}

function exampleOf(rule: string): string {
  return readRulePage(rule)?.hardenableExample ?? '';
}
