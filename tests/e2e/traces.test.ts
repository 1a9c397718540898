import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { startWeb, type Web } from '../support/web.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly attributes?: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const spans: Span[] = [];
let collector: Server;
let database: TestDatabase;
let web: Web;

beforeAll(async () => {
  collector = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans } = JSON.parse(body) as Sent;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  database = await startDatabase();
  web = await startWeb({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
});
afterAll(async () => {
  await web?.stop();
  await database?.stop();
  collector?.close();
});

it('a request and its calls of the database are one trace, which has the id of the request', async () => {
  const response = await fetch(`${web.url}/api/public-stats`, { headers: { 'x-request-id': 'traced-1' } });
  expect(response.status).toBe(200);
  await expect.poll(() => spans.some(({ name }) => name === 'database: public_statistics')).toBe(true);
  await expect.poll(() => spans.some(hasId)).toBe(true);
  const traces = new Set(spans.filter(hasId).map(({ traceId }) => traceId));
  const asked = spans.filter(({ name }) => name === 'database: public_statistics').map(({ traceId }) => traceId);
  expect([asked.length > 0, asked.filter((traceId) => !traces.has(traceId))]).toEqual([true, []]);
  const line = web
    .output()
    .split('\n')
    .find((each) => each.includes('"traced-1"') && each.includes('answered'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ code_host_requests: 0, database_requests: asked.length });
});

function hasId({ attributes = [] }: Span): boolean {
  return attributes.some(({ key, value }) => key === 'chainbreak.request_id' && value.stringValue === 'traced-1');
}
