import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a request ends: `lose` loses its answer, `refuse` the request, `instead` sends another body and loses its answer. */
export type Fate = 'pass' | 'lose' | 'refuse' | { readonly instead: string };
export type OnRequest = (operation: string, body: string) => Fate | Promise<Fate>;

export interface Relay {
  readonly url: string;
  onRequest: OnRequest;
  stop(): Promise<void>;
}

const PASS: OnRequest = () => 'pass';

export async function startRelay(target: string): Promise<Relay> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      const operation = /(?:query|mutation) (\w+)/.exec(body.toString())?.[1] ?? '';
      const fate = await relay.onRequest(operation, body.toString());
      if (fate === 'refuse') return void response.writeHead(502).end('{}');
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const answer = await fetch(target, {
        method: 'POST',
        body: typeof fate === 'object' ? fate.instead : new Uint8Array(body),
        headers: headers as Record<string, string>,
      });
      const text = await answer.text();
      if (fate !== 'pass') return void response.writeHead(502).end('{}');
      const { 'content-encoding': ____, 'content-length': _____, ...kept } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, kept).end(text);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const relay: Relay = {
    url: `http://127.0.0.1:${port}/graphql`,
    onRequest: PASS,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return relay;
}
