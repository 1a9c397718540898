import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RegistryRequest {
  readonly method: string;
  /** With the host that it is for as its first part. */
  readonly path: string;
  readonly authorization: string | undefined;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface RegistryForTests {
  /** Where requests to any registry go, each below its host's name. */
  readonly origin: string;
  /** Requests since the last call, oldest first. */
  take(): RegistryRequest[];
  /** Answers requests whose path has this part, so many of them, in place of the registry. */
  answer(part: string, answer: Answer, times?: number): void;
  /** Ends all such answers. */
  clear(): void;
  stop(): Promise<void>;
}

/** Fake registries on a free port, with configurable answers, that record requests. */
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
