import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RegistryRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface RegistryForTests {
  readonly origin: string;
  take(): RegistryRequest[];
  answer(part: string, answer: Answer, times?: number): void;
  clear(): void;
  stop(): Promise<void>;
}

export async function startRegistry(usual: Answer): Promise<RegistryForTests> {
  const requests: RegistryRequest[] = [];
  let answers: { readonly part: string; readonly answer: Answer; times: number }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ method: request.method ?? '', path, authorization: request.headers.authorization });
    const special = answers.find(({ part, times }) => times > 0 && path.includes(part));
    if (special === undefined) {
      usual(response, request);
      return;
    }
    special.times -= 1;
    special.answer(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => requests.splice(0),
    answer: (part, answer, times = 1_000) => {
      answers.unshift({ part, answer, times });
    },
    clear: () => {
      answers = [];
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
