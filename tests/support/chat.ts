import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Delivered {
  readonly path: string;
  readonly type: string | undefined;
  readonly text: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface ChatForTests {
  readonly origin: string;
  take(): Delivered[];
  answer(...answers: readonly Answer[]): void;
  forget(): void;
  stop(): Promise<void>;
}

export async function startChat(): Promise<ChatForTests> {
  const delivered: Delivered[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    delivered.push({ path: request.url ?? '', type: request.headers['content-type'], text: await text(request) });
    const answer = answers.shift();
    if (answer === undefined) response.end('ok');
    else answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => delivered.splice(0),
    answer: (...more) => {
      answers.push(...more);
    },
    forget() {
      delivered.length = 0;
      answers.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function refuse(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}
