import { expect, it } from 'vitest';
import { publisherCi } from './publisher-ci.ts';

const PWN = `on: pull_request_target
permissions: write-all
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4.1.0
        with: { ref: "\${{ github.event.pull_request.head.sha }}" }
      # chainbreak: ignore[untrusted-checkout-exec] reviewed
      - run: npm ci && npm test
        env: { TOKEN: "\${{ secrets.RELEASE_TOKEN }}" }
`;

it('counts critical paths in the publisher’s workflows, suppressed or not', () => {
  const files = [{ path: '.github/workflows/test.yml', text: PWN }];
  expect(publisherCi(files, 'acme', 'tool').critical).toBeGreaterThanOrEqual(1);
});

it('counts nothing in workflows without a path, or without workflows', () => {
  const text = 'on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [run: make]\n';
  expect(publisherCi([{ path: '.github/workflows/a.yml', text }], 'acme', 'tool')).toEqual({ critical: 0, high: 0 });
  expect(publisherCi([], 'acme', 'tool')).toEqual({ critical: 0, high: 0 });
});
