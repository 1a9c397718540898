import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { MAX_WORKFLOW_BYTES } from '#lib/services/hardening/harden.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { Harden } from '../components/harden/harden.tsx';
import { SAMPLE } from '../components/harden/sample.ts';
import { Banner } from '../components/ui/banner.tsx';
import { Page, PageHeader, Section } from '../components/ui/frame.tsx';

export const metadata: Metadata = {
  title: 'Harden a workflow',
  description:
    'Paste a GitHub Actions workflow and get it back with its weaknesses fixed: each change with its reason, and what was left alone with why.',
  alternates: { canonical: '/harden' },
};

export default async function HardenPage() {
  const context = pageContext(await headers());
  const { codeHost, asksRegistries } = describeSite(context);
  return (
    <Page>
      <PageHeader title="Harden a workflow">
        <p>
          Paste a workflow file and get it back with its weaknesses fixed. Each change is named by the rule that asked
          for it; what could not be fixed is named too, with the reason.
        </p>
      </PageHeader>
      {context.env.database === null ? (
        <Banner tone="neutral" title="The hardener is switched off here">
          <p>
            This installation has no database to count requests in. Whoever runs it finds the variables in its
            documentation. On your own machine, <code>chainbreak fix</code> does the same.
          </p>
        </Banner>
      ) : (
        <>
          <noscript>
            <Banner tone="neutral" title="This form needs JavaScript">
              <p>
                Without scripts, send the file to <code>POST /api/public/harden</code>, or run{' '}
                <code>chainbreak fix</code> on your own machine.
              </p>
            </Banner>
          </noscript>
          <Harden sample={SAMPLE} host={codeHost} maxBytes={MAX_WORKFLOW_BYTES} />
        </>
      )}
      <Section id="how" title="What happens to your file">
        <ul className="max-w-[70ch] list-disc space-y-2 ps-5">
          <li>It is sent to this server, read, and forgotten: the text is neither stored nor logged.</li>
          <li>
            Nothing of it is run. With CICD-SEC-3, the names and versions of the actions it uses are looked up at{' '}
            {codeHost}, to pin them to commits. Only public repositories are asked about.
            {asksRegistries &&
              ' With fixes to review, names of container images go to their registries, where these are well-known, to pin them to digests.'}
          </li>
          <li>
            Fixes splice text: what no fix names stays as it was, comments too. After each fix the file is read and
            checked again, and a fix that would break something is taken back.
          </li>
          <li>One address may ask five times a minute, scans of repositories included.</li>
        </ul>
      </Section>
    </Page>
  );
}
