import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { OperationDetails, Verb } from '../../../components/api/operation.tsx';
import { PARTS, type PartName, PartSwitch } from '../../../components/api/part-switch.tsx';
import { readReference } from '../../../components/api/reference.ts';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';

export const metadata: Metadata = {
  title: 'API reference',
  description: 'Every operation of the HTTP API with its parameters, fields and problems, and a curl command for it.',
  alternates: { canonical: '/docs/api' },
};

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function ApiReference({ searchParams }: Props) {
  const part: PartName = (await searchParams)['part'] === 'full' ? 'full' : 'public';
  const { env } = pageContext(await headers());
  const operations = readReference(part, env.webUrl);
  const areas = [...new Set(operations.map(({ area }) => area))];
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
          , an OpenAPI 3.1 document.{' '}
          <a className="link" href="/docs/using-the-api">
            Using the API
          </a>{' '}
          walks through it.
        </p>
      </PageHeader>
      <PartSwitch current={part} />
      <nav aria-label="Operations" className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {areas.map((area) => (
          <div key={area} className="min-w-0">
            <p className="mb-1 text-sm font-semibold">{area}</p>
            <ul className="text-sm">
              {operations
                .filter((operation) => operation.area === area)
                .map(({ id, verb, summary }) => (
                  <li key={id} className="flex items-baseline gap-2 py-1">
                    <span className="w-16 shrink-0 text-end font-mono">
                      <Verb verb={verb} />
                    </span>
                    <a href={`#${id}`} className="link min-w-0">
                      {summary}
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      {areas.map((area) => (
        <Section key={area} id={area.toLowerCase().replaceAll(' ', '-')} title={area}>
          {operations
            .filter((operation) => operation.area === area)
            .map((operation) => (
              <OperationDetails key={operation.id} operation={operation} />
            ))}
        </Section>
      ))}
    </Page>
  );
}
