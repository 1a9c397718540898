import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Delivered {
  readonly path: string;
  readonly type: string | undefined;
  /** The body as it came. */
  readonly text: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface ChatForTests {
  /** For `CHAT_WEBHOOK_ORIGIN`. */
  readonly origin: string;
  /** Deliveries since the last call, oldest first. */
  take(): Delivered[];
  /** Answers the next requests, one each, in place of `ok`. */
  answer(...answers: readonly Answer[]): void;
  stop(): Promise<void>;
}

/** A chat service's incoming webhooks over HTTP on a free port. */
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
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A refusal in the chat service's words. */
export function refuse(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}
