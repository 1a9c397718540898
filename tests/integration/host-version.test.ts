import { afterAll, beforeAll, expect, it } from 'vitest';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import type { HardenReply } from '#lib/services/hardening/workflow.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { startService, type TestService } from '../support/service.ts';

const WORKFLOW = `on: pull_request_target
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v6
        with: { ref: '\${{ github.event.pull_request.head.sha }}' }
      - run: make
`;

let host: CodeHostForTests;
let service: TestService;

beforeAll(async () => {
  host = await startCodeHost();
  await host.addRepository({ fullName: 'octo/shop', files: { '.github/workflows/ci.yml': WORKFLOW } });
  service = await startService({
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
    SCM_HOST_VERSION: '3.17',
  });
  Reflect.set(globalThis, PEER_MARK, true);
});
afterAll(() => Promise.all([service?.stop(), host?.stop()]));

it('depends on the version of the Enterprise Server, for public scans and pasted workflows', async () => {
  const headers = { [PEER_HEADER]: '203.0.113.1' };
  const scan = await service.call('POST /api/public-scan', { body: { repo: 'octo/shop' }, headers });
  const { counts } = scan.json as { readonly counts: { readonly HIGH: number } };
  expect(counts.HIGH, scan.text).toBeGreaterThan(0);
  const pasted = await service.call('POST /api/public/harden', {
    body: { workflow: WORKFLOW, categories: ['CICD-SEC-10'] },
    headers,
  });
  const { remaining } = pasted.json as unknown as HardenReply;
  expect(remaining.HIGH, pasted.text).toBe(counts.HIGH);
});
