import { describe, expect, it } from 'vitest';
import { createLog } from '#lib/log.ts';

function lines(run: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const written: string[] = [];
  run(createLog((line) => written.push(line)));
  return written.map((line) => {
    expect(line).toMatch(/^\{.*\}\n$/);
    return JSON.parse(line) as Record<string, unknown>;
  });
}

describe('a log line', () => {
  it('is one line of JSON with time, level, message and the fields of its request', () => {
    const [line] = lines((log) => log.with({ request_id: 'a' }).info('did\nit', { n: 1n }));
    expect(line).toEqual({
      time: expect.stringMatching(/Z$/),
      level: 'info',
      message: 'did\nit',
      request_id: 'a',
      n: '1',
    });
  });

  it.each([
    `ghs_12345_${'x'.repeat(40)}.y.z`,
    `github_pat_${'a'.repeat(30)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
    'sb_secret_abcdefghijk',
    'Bearer abc.def',
    'https://hooks.slack.com/services/T0/B0/abcdef',
  ])('never contains a credential: %s', (secret) => {
    const error = new Error(`refused ${secret}`, { cause: new Error(`sent ${secret}`) });
    Object.assign(error, { request: { headers: { authorization: secret } } });
    const [line] = lines((log) => log.error('failed', { error, text: secret, nested: [{ secret }] }));
    expect(JSON.stringify(line)).not.toContain(secret.slice(-8));
    expect(JSON.stringify(line)).toContain('[redacted]');
  });

  it('contains the database’s refusal without the row that its details quote', () => {
    const cause = {
      code: '23505',
      message: 'duplicate key',
      details: 'Key (email)=(a@example.com) exists',
      hint: null,
    };
    const [line] = lines((log) => log.error('failed', { error: new Error('refused', { cause }) }));
    expect(line).toMatchObject({ error: { message: 'refused', cause: { code: '23505', message: 'duplicate key' } } });
    expect(JSON.stringify(line)).not.toContain('example.com');
    const secret = 'sb_secret_abcdefghijk';
    const [other] = lines((log) =>
      log.error('failed', { error: new Error('refused', { cause: { message: `key ${secret}` } }) }),
    );
    expect(JSON.stringify(other)).toContain('key [redacted]');
  });

  it('survives values that cannot be serialized', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(lines((log) => log.warn('odd', { circle }))[0]).toMatchObject({ message: 'odd', unprintable: true });
  });
});
