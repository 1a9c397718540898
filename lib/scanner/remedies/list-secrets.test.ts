import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { scanRepository } from '../scan.ts';

it.each(['ALL', '((', '(A+)+$'])('a rule finds all secrets in a variable called %s', (name) => {
  const text = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$${'A'.repeat(40)}!" | jq -r .TOKEN
        env:
          "${name}": \${{ toJSON(secrets) }}
`;
  const { findings, diagnostics } = scanRepository(createRepository([{ path: '.github/workflows/a.yml', text }]));
  expect(findings.map(({ ruleId }) => ruleId)).toContain('overprovisioned-secrets');
  expect(diagnostics.map(({ message }) => message).filter((message) => message.includes('failed'))).toEqual([]);
});
