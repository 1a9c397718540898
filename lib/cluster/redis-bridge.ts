import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

export interface RedisCommands {
  call(name: string, ...values: readonly string[]): Promise<unknown>;
  transaction(commands: readonly (readonly string[])[]): Promise<readonly Reply[]>;
}

export type Reply = { readonly result: unknown } | { readonly error: string };

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface RedisBridge {
  readonly url: string;
  forgetScripts(): void;
  readonly stop: () => Promise<void>;
}

export interface BridgeOptions {
  readonly redis: RedisCommands;
  readonly token: string;
  readonly port?: number;
  readonly intercept?: (body: string, request: IncomingMessage) => Answer | 'hang' | null;
}

type Command = readonly (string | number)[];

/** Stock Redis rejects Upstash's extra flag in the first line of a script. */
const FLAGS = /^#!lua flags=[^\n]*\n/;

/** Serves Upstash's REST protocol (`/`, `/pipeline`, `/multi-exec`) on 127.0.0.1 over a Redis. */
export async function startRedisBridge({ redis, token, port = 0, intercept }: BridgeOptions): Promise<RedisBridge> {
  const scripts = new Map<string, string>();

  /** Clients name scripts by the hash of their text, which the missing first line changes. */
  const resolve = ([name = '', ...values]: Command): readonly string[] | null => {
    const words = [String(name).toLowerCase(), ...values.map(String)];
    const [command = '', script = '', ...rest] = words;
    if (command !== 'eval' && command !== 'evalsha') return words;
    if (command === 'eval') scripts.set(createHash('sha1').update(script).digest('hex'), script);
    const text = command === 'eval' ? script : scripts.get(script);
    return text === undefined ? null : ['eval', text.replace(FLAGS, ''), ...rest];
  };

  const run = async (command: Command): Promise<Reply> => {
    const words = resolve(command);
    if (words === null) return { error: 'NOSCRIPT No matching script. Please use EVAL.' };
    try {
      const [name = '', ...values] = words;
      return { result: await redis.call(name, ...values) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  };

  const transact = async (commands: readonly Command[]): Promise<Answer> => {
    const words = commands.map(resolve);
    if (words.includes(null)) return { status: 400, body: { error: 'EXECABORT Transaction discarded.' } };
    try {
      return { status: 200, body: await redis.transaction(words as readonly (readonly string[])[]) };
    } catch (error) {
      return { status: 400, body: { error: messageOf(error) } };
    }
  };

  const answer = async (request: IncomingMessage, body: string): Promise<Answer> => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      return { status: 401, body: { error: 'WRONGPASS invalid or missing auth token' } };
    }
    if (request.method !== 'POST') return { status: 404, body: { error: 'ERR not served' } };
    const encoded = request.headers['upstash-encoding'] === 'base64' ? inBase64 : (reply: Reply) => reply;
    const sent: unknown = JSON.parse(body);
    if (request.url === '/') {
      const reply = await run(sent as Command);
      return { status: 'error' in reply ? 400 : 200, body: encoded(reply) };
    }
    if (request.url === '/pipeline') {
      const replies: Reply[] = [];
      for (const command of sent as readonly Command[]) replies.push(encoded(await run(command)));
      return { status: 200, body: replies };
    }
    if (request.url !== '/multi-exec') return { status: 404, body: { error: 'ERR not served' } };
    const { status, body: replies } = await transact(sent as readonly Command[]);
    return { status, body: Array.isArray(replies) ? replies.map(encoded) : replies };
  };

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void (async () => {
      const body = await textOf(request);
      const replaced = intercept?.(body, request) ?? null;
      if (replaced === 'hang') return;
      const { status, body: content } = replaced ?? (await answer(request, body).catch(malformed));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof content === 'string' ? content : JSON.stringify(content));
    })().catch(() => response.destroy());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forgetScripts: () => scripts.clear(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function malformed(): Answer {
  return { status: 400, body: { error: 'ERR failed to parse the command' } };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^[A-Z]{3,} /.test(message) ? message : `ERR ${message}`;
}

function inBase64(reply: Reply): Reply {
  return 'result' in reply ? { result: encode(reply.result) } : reply;
}

function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return typeof value === 'string' && value !== 'OK' ? Buffer.from(value).toString('base64') : value;
}
