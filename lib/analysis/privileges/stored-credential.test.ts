import { describe, expect, it } from 'vitest';
import { versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { storedCredentialOf } from './stored-credential.ts';

function step(lines: string): Step {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${lines.replaceAll('\n', '\n        ')}\n`;
  return createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0]?.jobs[0]?.steps[0] as Step;
}

describe('the credential stored by a checkout', () => {
  it('has a location and a kind', () => {
    expect(storedCredentialOf(step('uses: actions/checkout@v6'))?.outsideWorkspace).toBe(true);
    expect(storedCredentialOf(step('uses: actions/checkout@v4'))?.outsideWorkspace).toBe(false);
    const bot = step('uses: actions/checkout@v4\nwith:\n  path: ./src/\n  token: ${{ secrets.BOT || github.token }}');
    expect(storedCredentialOf(bot)).toMatchObject({ folder: 'src', secret: 'secrets.bot' });
    const own = step('uses: actions/checkout@v4\nwith:\n  token: ${{ secrets.GITHUB_TOKEN }}');
    expect(storedCredentialOf(own)?.secret).toBeUndefined();
    expect(storedCredentialOf(step('uses: acme/checkout@v4'))).toBeUndefined();
  });
});

describe('the version of an action', () => {
  it('reads the version from the tag, the commit or the comment', () => {
    expect(versionOf(step('uses: actions/checkout@v5'))).toBe('v5');
    expect(versionOf(step('uses: actions/checkout@1af3b93b6815bc44a9784bd300feb67ff0d1eeb3'))).toBe('v6.0.0');
    expect(versionOf(step(`uses: actions/checkout@${'1'.repeat(40)} # v4.2`))).toBe('v4.2');
    expect(versionOf(step(`uses: actions/checkout@${'1'.repeat(40)}`))).toBeUndefined();
  });
});
