import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import { CREDENTIAL_SAMPLES } from '../testing/credential-samples.ts';
import { CREDENTIAL_FORMATS, findCredentials } from './credentials.ts';
import { redact } from './redact.ts';

const RANDOM = 'q8Zr2LmX7vT4nB9sKd3WfY6pHc5GjQ1uRa0EoNiSxVzCyMtJkFbDgLwPhXr7T2Kv9ZmQ4sNd8';
describe('credentials', () => {
  it('has a sample of every format', () => {
    const names = [...new Set(CREDENTIAL_SAMPLES.map(({ name }) => name))];
    expect(names.sort()).toEqual([...new Set(CREDENTIAL_FORMATS.map(({ name }) => name))].sort());
  });

  it.each(CREDENTIAL_SAMPLES)('finds $name ($source), and no output shows it', ({ name, value }) => {
    expect(findCredentials(`key: ${value}\n`).map(({ format }) => format.name)).toEqual([name]);
    expect(redact(`key: ${value} # end`)).toBe('key: [redacted] # end');
    const text = `on: push\nenv:\n  KEY: ${value}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${value}\n`;
    const { findings } = scanRepository(createRepository([{ path: '.github/workflows/a.yml', text }]), {
      rules: rules.filter(({ id }) => id === 'hardcoded-secret'),
    });
    expect(findings).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain(value.slice(8, 24));
  });

  it('hides passwords in URLs and values after telling names', () => {
    const text = `on: push\nenv:\n  APP_WEBHOOK: ${RANDOM.slice(0, 30)}\n  URL: amqp://app:Tr0ub4dorx@mq.acme.dev\njobs: {}\n`;
    const { findings } = scanRepository(createRepository([{ path: '.github/workflows/a.yml', text }]), {
      rules: rules.filter(({ id }) => id === 'hardcoded-secret'),
    });
    expect(findings.map(({ message }) => message)).toEqual(['named', 'url']);
    expect(JSON.stringify(findings)).not.toMatch(/Tr0ub|LmX7v/);
  });

  it('hides registry passwords, however short, even inside an expression', () => {
    const files = rules.find(({ id }) => id === 'hardcoded-container-credentials')?.examples.bad ?? [];
    for (const { yaml } of files) {
      const { findings } = scanRepository(
        createRepository([{ path: '.github/workflows/a.yml', text: yaml as string }]),
      );
      expect(JSON.stringify(findings)).not.toContain('hunter2');
    }
  });

  it('ignores wrong checksums, examples and repeated characters', () => {
    expect(findCredentials(['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18'].join('_'))).toEqual([]);
    expect(findCredentials('AKIAIOSFODNN7EXAMPLE')).toEqual([]);
    expect(findCredentials(`glpat-${'x'.repeat(24)}`)).toEqual([]);
  });

  it('hides any literal after a password key, and keeps references', () => {
    expect(redact('password: hunter2 # x')).toBe('password: [redacted]');
    expect(redact("{ username: a, password: 'two words' }")).toBe("{ username: a, password: '[redacted]' }");
    expect(redact('password: pa$$word')).toBe('password: [redacted]');
    expect(redact('password: |\n  hunter2')).toBe('password: |\n  [redacted]');
    expect(redact(`password: "\${{ 'hunter2' }}"`)).toBe(`password: "\${{ '[redacted]' }}"`);
    expect(redact('password: ${{ secrets.A }}')).toBe('password: ${{ secrets.A }}');
    expect(redact('DB_PASSWORD: $PASS')).toBe('DB_PASSWORD: $PASS');
  });
});
