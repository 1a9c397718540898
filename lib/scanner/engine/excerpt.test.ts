import { describe, expect, it } from 'vitest';
import { createSource } from '#lib/workflow/text/source.ts';
import { cpuTimeOf, leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { Excerpts, redactStart } from './excerpt.ts';
import { REDACTED } from './redact.ts';

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(3)}f6G7h8`;
const WEB_TOKEN = `eyJ${'hbGciOiJI'.repeat(2_000)}.eyJ${'zdWIiOiIx'.repeat(2_000)}.c2lnbmF0dXJl`;
const KEY = `-----BEGIN PRIVATE KEY-----\\n${'MIIEvQIBADANBgkq '.repeat(400)}\\n-----END PRIVATE KEY-----`;

function excerptAt(text: string, at: number): string {
  return new Excerpts().of(createSource('a.yml', text), at, at + 1);
}

function partsOf(credential: string): string[] {
  return Array.from({ length: Math.floor(credential.length / 12) }, (_, index) =>
    credential.slice(index * 12, index * 12 + 12),
  );
}

describe('an excerpt', () => {
  it('of ordinary lines is those lines', () => {
    const text = `a: 1\nb: |\n  ${'word '.repeat(300)}\n  two\nc: 3\n`;
    const start = text.indexOf('word', 1_200);
    expect(new Excerpts().of(createSource('a.yml', text), start, text.indexOf('two'))).toBe(
      `  ${'word '.repeat(300)}\n  two`,
    );
  });

  it('of a long line is the part around the place', () => {
    const text = `${'- x '.repeat(20_000)}HERE ${'- y '.repeat(20_000)}`;
    const excerpt = excerptAt(text, text.indexOf('HERE'));
    expect(excerpt).toContain('HERE');
    expect(excerpt.startsWith('…')).toBe(true);
    expect(excerpt.length).toBeLessThanOrEqual(2_000);
  });

  it.each([
    ['a token', TOKEN],
    ['a web token of 36,000 characters', WEB_TOKEN],
    ['a private key', KEY],
    ['a password', `password: "${'correct horse battery '.repeat(8)}"`],
    ['a password in a URL', `https://someone:${'s3cr-t!'.repeat(20)}@host.example/x`],
  ])('shows no part of %s that crosses its border', (_, credential) => {
    for (let shift = 0; shift < 2_400; shift += 197) {
      const before = 'w '.repeat(8_000);
      const text = `${before}${'v '.repeat(shift / 2)}${credential} ${'z '.repeat(8_000)}`;
      const begin = text.indexOf(credential);
      for (const at of [
        begin - 1_990,
        begin - 500,
        begin + Math.floor(credential.length / 2),
        begin + credential.length + 700,
      ]) {
        const excerpt = excerptAt(text, at);
        const shown = partsOf(credential.replace(/^password: |^https:/, '')).filter((part) => excerpt.includes(part));
        expect(shown, `${shift} ${at - begin}`).toEqual([]);
      }
    }
  });

  it('has the same cost for ten times as many places on a long line', () => {
    const line = '{run: "echo $A", password: x9, with: {token: abc, url: "https://a:b@c"}}, ';
    const source = createSource('a.yml', line.repeat(2_000));
    const read = (step: number): void => {
      const excerpts = new Excerpts();
      for (let at = 0; at < source.text.length; at += step) excerpts.of(source, at, at + 5);
    };
    read(1_000);
    const few = cpuTimeOf(() => read(500));
    const limit = 4 * Math.max(few, 20);
    expect(leastCpuTimeOf(limit, () => read(50))).toBeLessThan(limit);
  });
});

describe('the start of a text', () => {
  it('hides a credential that is cut off', () => {
    const text = `${'a '.repeat(290)}${TOKEN} ${'b '.repeat(100_000)}`;
    expect(redactStart(text, 600)).toBe(`${'a '.repeat(290)}${REDACTED} ${'b '.repeat(100)}`.slice(0, 600));
    expect(redactStart(`${'a '.repeat(290)}${WEB_TOKEN}`, 600)).toBe('a '.repeat(290));
  });
});
