import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Passes requests on to instances in turn. One that does not listen is skipped; one that ends cuts its clients off. */
export async function startProxy(port: number, instances: () => readonly string[]): Promise<Proxy> {
  let turn = 0;
  const server = createServer({ keepAliveTimeout: 0, requireHostHeader: false }, (incoming, outgoing) => {
    const all = instances();
    turn += 1;
    const order = all.map((_, index) => all[(turn + index) % all.length] ?? '');
    void pass(incoming, outgoing, order).catch(() => outgoing.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, targets: readonly string[]): Promise<void> {
  const body = Buffer.concat(await incoming.toArray());
  const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].flat().filter(Boolean);
  const headers = { ...incoming.headers, 'x-forwarded-for': forwarded.join(', ') };
  for (const target of targets) {
    const sent = request(`${target}${incoming.url ?? '/'}`, { method: incoming.method, headers, agent: false });
    sent.end(body);
    const answer = await new Promise<IncomingMessage | 'refused'>((resolve, reject) => {
      sent.once('response', resolve);
      sent.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') resolve('refused');
        else reject(error);
      });
      outgoing.once('close', () => sent.destroy());
    });
    if (answer === 'refused') continue;
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.once('error', () => outgoing.destroy());
    answer.pipe(outgoing);
    return;
  }
  outgoing.destroy();
}
