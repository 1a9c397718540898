import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseEnv } from '#lib/env.ts';
import { buildSelfHosting } from '#lib/tools/build-worker.mjs';

interface Container {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly volumes?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly [key: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Container>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

const source = readFileSync('compose.yaml', 'utf8');
const compose = parse(source, { merge: true }) as Compose;
const containers = Object.entries(compose.services);
const APP = {
  SCM_APP_ID: '4711',
  SCM_APP_SLUG: 'chainbreak-example',
  SCM_CLIENT_ID: 'Iv1.0123456789abcdef',
  SCM_CLIENT_SECRET: 'secret-of-the-client',
  SCM_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----',
  SCM_PUBLIC_TOKEN: 'github_pat_0123',
};

function newEnv(host: string): Record<string, string> {
  const text = execFileSync(process.execPath, ['self-hosting/new-env.mjs', host], { encoding: 'utf8' });
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
}

const networksOf = ({ networks = [] }: Container): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);

describe('compose.yaml', () => {
  it.each(containers)('%s has no rights and no space that it does not need', (_, container) => {
    expect(container).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
    });
    expect(container.image).toMatch(/^(?:chainbreak-service|[\w/]+:v?\d+\.?[\w.-]*)$/);
    expect(container.volumes?.filter((volume) => volume.includes('docker.sock')) ?? []).toEqual([]);
  });

  it('opens ports of the gateway alone', () => {
    expect(containers.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['gateway']);
  });

  it('lets only migrations, sign-in and the API reach the database, which reaches nothing outside', () => {
    const near = containers.filter(([, container]) => networksOf(container).includes('database'));
    expect(near.map(([name]) => name).sort()).toEqual(['auth', 'database', 'migrate', 'rest']);
    expect(compose.networks['database']).toEqual({ internal: true });
    expect(compose.networks['redis']).toEqual({ internal: true });
  });

  it('hides the password of the database from containers that get all variables', () => {
    const all = containers.filter(([, { env_file }]) => env_file !== undefined);
    expect(all.map(([name]) => name)).toEqual(['web-1', 'web-2', 'jobs']);
    for (const [, { environment }] of all) expect(environment?.['POSTGRES_PASSWORD']).toBe('');
  });

  it('requires only variables that the new configuration has', () => {
    const variables = newEnv('chainbreak.example.com');
    const required = [...source.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
    expect([...new Set(required)].filter((name) => !(String(name) in variables))).toEqual([]);
  });
});

describe('the new configuration', () => {
  it('is accepted by the service once the app is filled in, with keys that its own secret signed', async () => {
    const variables = newEnv('chainbreak.example.com');
    const env = parseEnv({ ...variables, ...APP, ...compose.services['web-1']?.environment });
    expect(env.webUrl).toBe('https://chainbreak.example.com');
    expect(env.database?.url).toBe('https://chainbreak.example.com');
    expect(env.upstash?.url).toBe('http://127.0.0.1:8079');
    expect(env.scmApp?.slug).toBe(APP.SCM_APP_SLUG);
    const secret = new TextEncoder().encode(env.jwtSecret ?? '');
    const roles = [env.database?.publishableKey, env.database?.secretKey].map(async (key) => {
      return (await jwtVerify(key ?? '', secret, { algorithms: ['HS256'] })).payload['role'];
    });
    expect(await Promise.all(roles)).toEqual(['anon', 'service_role']);
  });

  it('has new secrets each time', () => {
    const [first, second] = [newEnv('a.example'), newEnv('a.example')];
    const same = Object.keys(first).filter((name) => first[name] !== '' && first[name] === second[name]);
    expect(same).toEqual(['PUBLIC_HOST', 'WEB_URL', 'SUPABASE_URL']);
  });

  it('refuses a text that is no host', () => {
    for (const text of ['', 'https://a.example', 'a.example\nX=1']) {
      expect(spawnSync(process.execPath, ['self-hosting/new-env.mjs', text]).status).toBe(2);
    }
  });
});

describe('the programs of the image', () => {
  beforeAll(buildSelfHosting);

  it.each([
    ['dist/migrate.mjs', /Set DATABASE_URL/],
    ['dist/redis-bridge.mjs', /Set PORT, REDIS_URL and UPSTASH_REDIS_REST_TOKEN/],
  ])('%s runs without the source and says what it needs', (program, expected) => {
    const { status, stderr } = spawnSync(process.execPath, [program], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    });
    expect(stderr).toMatch(expected);
    expect(status).not.toBe(0);
  });

  it('are the commands of compose.yaml, and in the image', () => {
    const image = readFileSync('Dockerfile.service', 'utf8');
    const commands = containers
      .filter(([, container]) => container.image === 'chainbreak-service')
      .flatMap(([, { command }]) => (Array.isArray(command) ? [String(command[1])] : []));
    expect([...new Set(commands)].sort()).toEqual([
      'dist/migrate.mjs',
      'dist/redis-bridge.mjs',
      'self-hosting/jobs.mjs',
    ]);
    for (const command of new Set(commands)) {
      expect(image).toContain(command.startsWith('dist/') ? `/build/${command}` : '/build/self-hosting');
    }
  });
});
