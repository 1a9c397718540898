import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Gate {
  readonly url: string;
  shut(): void;
  open(): void;
  cut(path: string, when: 'before' | 'after'): void;
  stop(): Promise<void>;
}

export async function startGate(target: string): Promise<Gate> {
  let opened = Promise.resolve();
  let open = () => {};
  const cuts = new Map<string, 'before' | 'after'>();
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', target);
    const cut = cuts.get(pathname);
    cuts.delete(pathname);
    if (cut === 'before') incoming.socket.destroy();
    else void opened.then(() => pass(incoming, outgoing, target, cut === 'after'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut() {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    cut: (path, when) => void cuts.set(path, when),
    async stop() {
      open();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string, isCut: boolean): void {
  const { method, headers, url } = incoming;
  const { host } = new URL(target);
  const forwarded = request(`${target}${url}`, { method, headers: { ...headers, host } }, (answer) => {
    if (isCut) return void answer.on('end', () => outgoing.destroy()).resume();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
}
