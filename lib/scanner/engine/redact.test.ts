import { describe, expect, it } from 'vitest';
import { REDACTED, redact } from './redact.ts';

/** Assembled, so that no file of ours contains credential-like text. */
const join = (...parts: string[]): string => parts.join('');
const letters = (count: number): string => 'a1B2c3D4e5F6g7H8i9J0'.repeat(10).slice(0, count);

describe('redact', () => {
  it.each([
    ['a GitHub token', join('gh', 'p_', letters(36))],
    ['a fine-grained GitHub token', join('github', '_pat_', letters(82))],
    ['an AWS key id', join('AK', 'IA', 'ABCDEFGHIJKLMNOP')],
    ['an npm token', join('np', 'm_', letters(36))],
    ['a PyPI token', join('py', 'pi-', letters(80))],
    ['a Slack token', join('xo', 'xb-', '123456789012-', letters(20))],
    ['a Slack webhook', join('https://hooks.slack', '.com/services/', 'T0/B0/', letters(24))],
    ['a JSON web token', join('ey', 'J', letters(20), '.ey', 'J', letters(20), '.', letters(20))],
    ['a private key', join('-----BEGIN RSA PRIV', 'ATE KEY-----\n', letters(64), '\n-----END RSA PRIVATE KEY-----')],
  ])('hides %s wherever it stands', (_, secret) => {
    const hidden = redact(`run: curl -H "x: ${secret}" https://example.com`);
    expect(hidden).not.toContain(secret.slice(6, 30));
    expect(hidden).toContain(REDACTED);
  });

  it('hides a password in a URL and after a telling key', () => {
    expect(redact('git clone https://bot:hunter2secret@example.com/x')).toBe(
      `git clone https://bot:${REDACTED}@example.com/x`,
    );
    expect(redact(`password: "${letters(20)}"`)).toBe(`password: ${REDACTED}`);
  });

  it.each([
    'token: ${{ secrets.GITHUB_TOKEN }}',
    'uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8',
    'https://example.com:8080/path@x',
    'password: $PASSWORD',
    'secret: inherit',
    'GITHUB_TOKEN=$GITHUB_TOKEN',
    'echo "token=$(cat file)"',
  ])('leaves "%s" alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});
