import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import Redis from 'ioredis-mock';

export interface UpstashForTests {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly string[];
  readonly entries: () => Promise<Record<string, string>>;
  /** Sets how requests fail: an error, no response, or a proxy's page; null stops it. */
  fail(how: 'error' | 'hang' | 'page' | null): void;
  readonly waiting: () => number;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

type Command = readonly (string | number)[];
type Reply = { readonly result: unknown } | { readonly error: string };

/** Stock Redis rejects Upstash's extra flag in the first line of a script. */
const FLAGS = /^#!lua flags=[^\n]*\n/;

export async function startUpstash(): Promise<UpstashForTests> {
  const token = `upstash-${randomUUID()}`;
  const redis = new Redis({ host: randomUUID() });
  const scripts = new Map<string, string>();
  const requests: string[] = [];
  let waiting = 0;
  let failure: 'error' | 'hang' | 'page' | null = null;

  const run = async ([name = '', ...args]: Command): Promise<Reply> => {
    try {
      const command = String(name).toLowerCase();
      if (command !== 'eval' && command !== 'evalsha')
        return { result: await redis.call(command, ...args.map(String)) };
      const [first = '', keys = '', ...rest] = args.map(String);
      const hash = command === 'eval' ? createHash('sha1').update(first).digest('hex') : first;
      if (command === 'eval') scripts.set(hash, first);
      const script = scripts.get(hash);
      if (script === undefined) return { error: 'NOSCRIPT No matching script. Please use EVAL.' };
      return { result: await redis.eval(script.replace(FLAGS, ''), Number(keys), ...rest) };
    } catch (error) {
      return { error: `ERR ${error instanceof Error ? error.message : String(error)}` };
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    waiting += 1;
    response.once('close', () => (waiting -= 1));
    const body = await textOf(request);
    requests.push(body);
    if (failure === 'hang') return;
    const sent = request.headers.authorization?.replace(/^Bearer /, '');
    const send = (status: number, content: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof content === 'string' ? content : JSON.stringify(content));
    };
    if (failure === 'error') return send(500, { error: `ERR internal, the token was ${sent}` });
    if (failure === 'page') return send(200, `<html>${sent}</html>`);
    if (request.headers.authorization !== `Bearer ${token}`) {
      return send(401, { error: 'WRONGPASS invalid or missing auth token' });
    }
    const base64 = request.headers['upstash-encoding'] === 'base64';
    const encoded = (reply: Reply): Reply => (base64 && 'result' in reply ? { result: encode(reply.result) } : reply);
    const commands = JSON.parse(body) as Command | readonly Command[];
    if (request.method === 'POST' && request.url === '/pipeline') {
      const replies: Reply[] = [];
      for (const command of commands as readonly Command[]) replies.push(encoded(await run(command)));
      return send(200, replies);
    }
    if (request.method !== 'POST' || request.url !== '/') return send(404, { error: 'ERR not simulated' });
    const reply = await run(commands as Command);
    return send('error' in reply ? 400 : 200, encoded(reply));
  };

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests,
    entries: async () => {
      const keys = await redis.keys('*');
      return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, (await redis.get(key)) ?? ''])));
    },
    waiting: () => waiting,
    fail: (how) => {
      failure = how;
    },
    clear: async () => {
      scripts.clear();
      requests.length = 0;
      await redis.flushall();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      redis.disconnect();
    },
  };
}

function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return typeof value === 'string' && value !== 'OK' ? Buffer.from(value).toString('base64') : value;
}
