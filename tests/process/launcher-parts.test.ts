import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Part, Parts, type PartsOptions } from '#lib/launcher/parts.ts';
import { freePort, requirePort } from '#lib/launcher/ports.ts';
import { temporaryFolder } from '../support/cli.ts';
import { quietPort } from '../support/quiet-port.ts';

const SERVER = `
  import { createServer } from 'node:http';
  import { appendFileSync } from 'node:fs';
  const { NAME, PORT, ORDER, ON_TERM } = process.env;
  console.log('the key is', process.env.KEY);
  const server = createServer((request, response) => {
    if (request.url === '/die') process.exit(7);
    response.end(String(process.pid));
  }).listen(PORT, '127.0.0.1');
  process.on('SIGTERM', () => {
    if (ON_TERM === 'ignore') return;
    appendFileSync(ORDER, NAME + ' ');
    process.exit(0);
  });`;

async function setUp(options: Partial<PartsOptions> = {}) {
  const folder = temporaryFolder({
    'server.mjs': SERVER,
    'fails.mjs': 'console.error("no key:", process.env.KEY); process.exit(3)',
    order: '',
  });
  const parts = new Parts({ logFolder: join(folder, 'logs'), secrets: ['hush-hush'], ...options });
  onTestFinished(() => parts.stop());
  const part = async (name: string, env: Record<string, string> = {}, script = 'server.mjs'): Promise<Part> => {
    const port = await quietPort();
    return {
      name,
      id: name,
      script: join(folder, script),
      env: { NAME: name, PORT: String(port), ORDER: join(folder, 'order'), KEY: 'hush-hush', ...env },
      health: { url: `http://127.0.0.1:${port}/` },
    };
  };
  const order = () => readFileSync(join(folder, 'order'), 'utf8');
  return { folder, parts, part, order };
}

const isUp = (part: Part) =>
  fetch(part.health?.url ?? '').then(
    () => true,
    () => false,
  );

describe('the parts of the service', () => {
  it('start in order and stop in reverse', async () => {
    const { parts, part, order } = await setUp();
    const list = [await part('first'), await part('second'), await part('third')];
    for (const one of list) await parts.start(one);
    expect(await Promise.all(list.map(isUp))).toEqual([true, true, true]);
    await parts.stop();
    expect(order()).toBe('third second first ');
    expect(await Promise.all(list.map(isUp))).toEqual([false, false, false]);
  });

  it('are named when they die or are killed', async () => {
    const { parts, part } = await setUp();
    const [one, other] = [await part('The one'), await part('The other')];
    await parts.start(one);
    await parts.start(other);
    await fetch(`${other.health?.url}die`).catch(() => {});
    await expect(parts.failure).rejects.toThrow(/^The other ended with status 7\./);

    const second = await setUp();
    const victim = await second.part('The victim');
    await second.parts.start(victim);
    process.kill(Number(await (await fetch(victim.health?.url ?? '')).text()), 'SIGKILL');
    await expect(second.parts.failure).rejects.toThrow(/^The victim was ended by SIGKILL\./);
  });

  it('that cannot start are reported with their output, without secrets, in message and log', async () => {
    const { folder, parts, part } = await setUp();
    await expect(parts.start(await part('broken', {}, 'fails.mjs'))).rejects.toThrow(
      /^broken ended with status 3\. Its last output:\n  no key: \[secret\]$/,
    );
    const log = join(folder, 'logs/broken.log');
    expect(readFileSync(log, 'utf8')).toBe('no key: [secret]\n');
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it('that never answer are given up', async () => {
    const { parts, part } = await setUp({ healthyWithinMs: 300 });
    const deaf = { ...(await part('deaf')), health: { url: `http://127.0.0.1:${await quietPort()}/` } };
    await expect(parts.start(deaf)).rejects.toThrow(/^deaf did not become healthy/);
  });

  it('that do not stop are killed', async () => {
    const { parts, part } = await setUp({ stopWithinMs: 200 });
    const stubborn = await part('stubborn', { ON_TERM: 'ignore' });
    await parts.start(stubborn);
    await parts.stop();
    expect(await isUp(stubborn)).toBe(false);
  });

  it('end when their launcher is killed', async () => {
    const { folder, part } = await setUp();
    const child = await part('child');
    await build({
      stdin: {
        contents: `import { Parts } from './lib/launcher/parts.ts';
          const parts = new Parts({ logFolder: ${JSON.stringify(join(folder, 'logs'))}, secrets: [] });
          await parts.start(${JSON.stringify(child)});
          console.log('up');`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: join(folder, 'launcher.mjs'),
    });
    const launcher = spawn(process.execPath, [join(folder, 'launcher.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(launcher.stdout, 'data');
    expect(await isUp(child)).toBe(true);
    launcher.kill('SIGKILL');
    await expect.poll(() => isUp(child), { timeout: 5000 }).toBe(false);
  });
});

describe('ports', () => {
  it('are reported with advice if occupied, and accepted if free', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(requirePort(port, '127.0.0.1')).rejects.toThrow(
      `Port ${port} is taken by another program. Choose another one: PORT=${port + 1} npm start`,
    );
    expect(await freePort(port)).not.toBe(port);
    await expect(requirePort(await freePort(undefined), '127.0.0.1')).resolves.toBeUndefined();
  });

  it('are reused if free', async () => {
    const port = await quietPort();
    expect(await freePort(port)).toBe(port);
    expect(await freePort(port, [port])).not.toBe(port);
  });
});

describe('waiting', () => {
  it('for a part ends when another one dies', async () => {
    const { parts, part } = await setUp();
    const up = await part('up');
    await parts.start(up);
    const deaf = { ...(await part('deaf')), health: { url: `http://127.0.0.1:${await quietPort()}/` } };
    const waiting = expect(parts.start(deaf)).rejects.toThrow(/^up ended with status 7/);
    await setTimeout(100);
    await fetch(`${up.health?.url}die`).catch(() => {});
    await waiting;
  });
});
