import { describe, expect, it } from 'vitest';
import { checkoutOf, trimPath, versionOf } from './checkout.ts';
import type { Step } from './model.ts';
import { createRepository } from './repository.ts';

function step(lines: string): Step {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${lines.replaceAll('\n', '\n        ')}\n`;
  return createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0]?.jobs[0]?.steps[0] as Step;
}

describe('checkouts', () => {
  it('reads the version from the tag, the commit or the comment', () => {
    expect(versionOf(step('uses: actions/checkout@v5'))).toBe('v5');
    expect(versionOf(step('uses: actions/checkout@1af3b93b6815bc44a9784bd300feb67ff0d1eeb3'))).toBe('v6.0.0');
    expect(versionOf(step(`uses: actions/checkout@${'1'.repeat(40)} # v4.2`))).toBe('v4.2');
    expect(versionOf(step(`uses: actions/checkout@${'1'.repeat(40)}`))).toBeUndefined();
  });

  it('knows where the credential lies and what it is', () => {
    expect(checkoutOf(step('uses: actions/checkout@v6'))?.outsideWorkspace).toBe(true);
    expect(checkoutOf(step('uses: actions/checkout@v4'))?.outsideWorkspace).toBe(false);
    const bot = step('uses: actions/checkout@v4\nwith:\n  path: ./src/\n  token: ${{ secrets.BOT || github.token }}');
    expect(checkoutOf(bot)).toMatchObject({ folder: 'src', secret: 'secrets.bot' });
    const own = step('uses: actions/checkout@v4\nwith:\n  token: ${{ secrets.GITHUB_TOKEN }}');
    expect(checkoutOf(own)?.secret).toBeUndefined();
    expect(checkoutOf(step('uses: acme/checkout@v4'))).toBeUndefined();
  });

  it('writes paths relative to the workspace', () => {
    expect(trimPath('${{ github.workspace }}/a/')).toBe('a');
    expect(trimPath('.')).toBe('');
    expect(trimPath('./')).toBe('');
    expect(trimPath('$GITHUB_WORKSPACE')).toBe('');
  });
});
