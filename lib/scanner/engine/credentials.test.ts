import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import { CREDENTIAL_FORMATS, findCredentials } from './credentials.ts';
import { redact } from './redact.ts';

/** Assembled, so that no file of ours contains credential-like text. */
const RANDOM = 'q8Zr2LmX7vT4nB9sKd3WfY6pHc5GjQ1uRa0EoNiSxVzCyMtJkFbDgLwPhXr7T2Kv9ZmQ4sNd8';
const HEX = '3f7a9c1e5b8d2046af93c7e1b5d8024a6f9c3e7b1d5a8f204c6e9b3d7f1a5c8e';
const SAMPLES: Readonly<Record<string, string>> = {
  'a GitHub token': ['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_'),
  'a GitLab token': `glpat-${RANDOM.slice(0, 20)}`,
  'the id of an AWS key': ['AKIA', 'Q8ZR2LMX7VT4NB9S'].join(''),
  'an npm token': ['npm', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_'),
  'a PyPI token': `pypi-AgE${RANDOM.slice(0, 60)}`,
  'a Slack token': `xoxb-${RANDOM.slice(0, 40)}`,
  'a Slack webhook': `https://hooks.slack.com/services/T0K3QJ7XW/B0M8RZ2LT/${RANDOM.slice(0, 24)}`,
  'a Discord webhook': `https://discord.com/api/webhooks/918273645546372819/${RANDOM.slice(0, 68)}`,
  'an Anthropic key': `sk-ant-api03-${RANDOM}`,
  'an OpenAI key': `sk-proj-${RANDOM.slice(0, 20)}T3BlbkFJ${RANDOM.slice(20, 40)}`,
  'a Google API key': `AIza${RANDOM.slice(0, 35)}`,
  'a Google access token': `ya29.${RANDOM}`,
  'a Stripe key': ['sk', 'live', RANDOM.slice(0, 24)].join('_'),
  'a Stripe test key': ['sk', 'test', RANDOM.slice(0, 24)].join('_'),
  'a SendGrid key': `SG.${RANDOM.slice(0, 22)}.${RANDOM.slice(22, 65)}`,
  'a Docker Hub token': `dckr_pat_${RANDOM.slice(0, 27)}`,
  'a Hugging Face token': `hf_${RANDOM.slice(0, 34)}`,
  'a DigitalOcean token': `dop_v1_${HEX}`,
  'a Databricks token': `dapi${HEX.slice(0, 32)}`,
  'a RubyGems key': `rubygems_${HEX.slice(0, 48)}`,
  'a NuGet key': `oy2${RANDOM.slice(0, 43).toLowerCase()}`,
  'a crates.io token': `cio${RANDOM.slice(0, 32)}`,
  'a HashiCorp Vault token': `hvs.${RANDOM.slice(0, 30)}`,
  'a Pulumi token': `pul-${HEX.slice(0, 40)}`,
  'a signed web token': `eyJ${RANDOM.slice(0, 20)}.eyJ${RANDOM.slice(20, 50)}.${RANDOM.slice(0, 43)}`,
  'a private key': ['-----BEGIN EC', `PRIVATE KEY----- ${RANDOM} -----END EC`, 'PRIVATE KEY-----'].join(' '),
  'a credential in base64': Buffer.from(['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_')).toString('base64'),
};

describe('credentials', () => {
  it('has a sample of every format', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...new Set(CREDENTIAL_FORMATS.map(({ name }) => name))].sort());
  });

  it.each(Object.entries(SAMPLES))('finds %s, and no output shows it', (name, value) => {
    expect(findCredentials(`key: ${value}\n`).map(({ format }) => format.name)).toEqual([name]);
    expect(redact(`key: ${value} # end`)).not.toContain(value.slice(8, 24));
    const text = `on: push\nenv:\n  KEY: ${value}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${value}\n`;
    const { findings } = scanRepository(createRepository([{ path: '.github/workflows/a.yml', text }]), {
      rules: rules.filter(({ id }) => id === 'hardcoded-secret'),
    });
    expect(findings).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain(value.slice(8, 24));
  });

  it('shows neither a password in an address nor a value under a telling name', () => {
    const text = `on: push\nenv:\n  APP_WEBHOOK: ${RANDOM.slice(0, 30)}\n  URL: amqp://app:Tr0ub4dorx@mq.acme.dev\njobs: {}\n`;
    const { findings } = scanRepository(createRepository([{ path: '.github/workflows/a.yml', text }]), {
      rules: rules.filter(({ id }) => id === 'hardcoded-secret'),
    });
    expect(findings.map(({ message }) => message)).toEqual(['named', 'url']);
    expect(JSON.stringify(findings)).not.toMatch(/Tr0ub|LmX7v/);
  });

  it('shows no registry password, however short, even inside an expression', () => {
    const files = rules.find(({ id }) => id === 'hardcoded-container-credentials')?.examples.bad ?? [];
    for (const { yaml } of files) {
      const { findings } = scanRepository(
        createRepository([{ path: '.github/workflows/a.yml', text: yaml as string }]),
      );
      expect(JSON.stringify(findings)).not.toContain('hunter2');
    }
  });

  it('takes a wrong checksum, an example and a run of one character for no token', () => {
    expect(findCredentials(['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18'].join('_'))).toEqual([]);
    expect(findCredentials('AKIAIOSFODNN7EXAMPLE')).toEqual([]);
    expect(findCredentials(`glpat-${'x'.repeat(24)}`)).toEqual([]);
  });

  it('hides any literal after a password key, and leaves references', () => {
    expect(redact('password: hunter2 # x')).toBe('password: [redacted]');
    expect(redact("{ username: a, password: 'two words' }")).toBe('{ username: a, password: [redacted] }');
    expect(redact('password: pa$$word')).toBe('password: [redacted]');
    expect(redact('password: |\n  hunter2')).toBe('password: [redacted]');
    expect(redact(`password: "\${{ 'hunter2' }}"`)).toBe('password: [redacted]');
    expect(redact('password: ${{ secrets.A }}')).toBe('password: ${{ secrets.A }}');
    expect(redact('DB_PASSWORD: $PASS')).toBe('DB_PASSWORD: $PASS');
  });
});
