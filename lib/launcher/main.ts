import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { parseEnv } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { onceNpmIsGone } from './ancestor.ts';
import { isBuildStale, stampBuild } from './build.ts';
import { demoVariables, hasOwnCredentials, readGenerated, secretsOf, writeGenerated } from './configuration.ts';
import { type Part, Parts } from './parts.ts';
import { freePort, requirePort } from './ports.ts';
import { welcome } from './welcome.ts';

export interface LauncherOptions {
  readonly folder: string;
  readonly bundles: string;
  readonly releaseBuildLock: () => Promise<void>;
}

const say = (text: string) => process.stdout.write(`${text}\n`);

export async function launch(options: LauncherOptions): Promise<number> {
  let secrets: readonly string[] = [];
  try {
    const generated = readGenerated(options.folder);
    const demo = !hasOwnCredentials(process.env, generated);
    const host = demo ? '127.0.0.1' : process.env['HOST'] || '0.0.0.0';
    const { port } = parseEnv(process.env);
    await requirePort(port, host);
    const variables = demo ? await prepareDemo(options.folder, generated) : ownVariables();
    secrets = secretsOf(variables);
    return await runAll({ ...options, demo, host, port, variables, secrets });
  } catch (error) {
    process.stderr.write(`${messageOf(error, secrets)}\n`);
    return 1;
  }
}

interface Run extends LauncherOptions {
  readonly demo: boolean;
  readonly host: string;
  readonly port: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

async function runAll({
  folder,
  bundles,
  releaseBuildLock,
  demo,
  host,
  port,
  variables,
  secrets,
}: Run): Promise<number> {
  const parts = new Parts({ logFolder: join(folder, 'logs'), secrets });
  const stopped = waitForSignal(parts);
  const base = { ...inherited(), ...variables };
  const start = async () => {
    const beside = demo ? demoParts(base, folder, bundles) : [];
    await Promise.all([
      ...beside.map((part) => parts.start(part)),
      buildWhenStale(parts, base)
        .then(releaseBuildLock)
        .then(() => parts.start(webPart(base, host, port))),
    ]);
    say(welcome(variables, { demo, folder }));
    // The demo is usable without scores; the log tells why they are missing.
    if (demo) void parts.run(scoringPart(base)).catch(() => {});
    await parts.failure;
  };
  try {
    await Promise.race([start(), stopped]);
    return 0;
  } catch (error) {
    if (parts.isStopping) return 0;
    throw error;
  } finally {
    await parts.stop();
  }
}

async function buildWhenStale(parts: Parts, base: Readonly<Record<string, string>>): Promise<void> {
  if (!isBuildStale()) return;
  say('Building the web app, which takes a minute or two …');
  await parts.run(buildPart(base));
  stampBuild();
}

function waitForSignal(parts: Parts): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const end = () => {
      if (asked) {
        parts.kill();
        return;
      }
      asked = true;
      say('Stopping …');
      void parts.stop();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    onceNpmIsGone(() => {
      if (!asked) end();
    });
  });
}

async function prepareDemo(
  folder: string,
  generated: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const database = await freePort(portOf(generated['SUPABASE_URL']));
  const codeHost = await freePort(portOf(generated['SCM_WEB_URL']), [database]);
  const variables = demoVariables(generated, process.env, { database, codeHost });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeGenerated(folder, variables);
  return variables;
}

function demoParts(base: Readonly<Record<string, string>>, folder: string, bundles: string): Part[] {
  return [
    {
      name: 'The database',
      id: 'database',
      script: join(bundles, 'database.mjs'),
      env: { ...base, DATABASE_FOLDER: join(folder, 'database') },
      health: {
        url: `${base['SUPABASE_URL']}/auth/v1/health`,
        headers: { apikey: base['SUPABASE_PUBLISHABLE_KEY'] ?? '' },
      },
    },
    {
      name: 'The local code host',
      id: 'code-host',
      script: join(bundles, 'code-host.mjs'),
      env: {
        ...base,
        CODE_HOST_FOLDER: join(folder, 'code-host'),
        DEMO_INITECH: process.env['DEMO_INITECH'] === '1' ? '1' : '0',
      },
      health: { url: `${base['SCM_WEB_URL']}/` },
    },
  ];
}

function webPart(base: Readonly<Record<string, string>>, host: string, port: number): Part {
  return {
    name: 'The web app',
    id: 'web',
    script: 'lib/http/serve.mjs',
    env: { ...base, HOST: host, PORT: String(port) },
    health: { url: `http://127.0.0.1:${port}/api/health` },
  };
}

function scoringPart(base: Readonly<Record<string, string>>): Part {
  const env = { ...base, CHAINBREAK_WORKER: 'dist/engine-worker.mjs', SCAN_THREADS: '1' };
  return { name: 'Scoring', id: 'scoring', script: 'dist/actions-worker.mjs', arguments: ['--waiting'], env };
}

function buildPart(base: Readonly<Record<string, string>>): Part {
  const script = 'node_modules/next/dist/bin/next';
  const env = { ...base, BUILD_WITHOUT_TYPES: '1' };
  return { name: 'The build of the web app', id: 'build', script, arguments: ['build'], env };
}

function inherited(): Record<string, string> {
  const wanted = ['HOME', 'LANG', 'PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'TZ', 'USERPROFILE'];
  const variables: Record<string, string> = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  for (const name of wanted) {
    const value = process.env[name];
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

function ownVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function portOf(url: string | undefined): number | undefined {
  return url && URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
}

function messageOf(error: unknown, secrets: readonly string[]): string {
  let text = error instanceof AppError ? error.message : `The start failed: ${inspect(error)}`;
  for (const secret of secrets) text = text.replaceAll(secret, '[secret]');
  return text;
}
