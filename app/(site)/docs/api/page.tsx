import type { Metadata } from 'next';
import { OperationList } from '../../../components/api/operation-list.tsx';
import { PARTS, type PartName, PartSwitch } from '../../../components/api/part-switch.tsx';
import { ApiViewer } from '../../../components/api/viewer.tsx';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';

export const metadata: Metadata = {
  title: 'API reference',
  description: 'Every operation of the HTTP API with its parameters, responses and problems, to read and try out.',
  alternates: { canonical: '/docs/api' },
};

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function ApiReference({ searchParams }: Props) {
  const part: PartName = (await searchParams)['part'] === 'full' ? 'full' : 'public';
  const { path } = PARTS[part];
  return (
    <Page>
      <PageHeader title="API reference">
        <p>
          Requests and responses are JSON. Every response has an id in <code>X-Request-Id</code>, and every error is a{' '}
          <a className="link" href="/problems">
            problem
          </a>{' '}
          with a code. This page is generated from{' '}
          <a className="link" href={path}>
            <code>{path}</code>
          </a>
          , an OpenAPI 3.1 document.
        </p>
      </PageHeader>
      <PartSwitch current={part} />
      <Section id="operations" title="Operations" className="mt-0">
        <ApiViewer path={path} withToken={part === 'full'} />
        <noscript>
          <p className="mb-4 text-sm text-muted">Details need JavaScript. The OpenAPI document contains all of them.</p>
          <OperationList part={part} />
        </noscript>
      </Section>
    </Page>
  );
}
