/**
 * Serves the built web app on this machine: `node lib/http/serve.mjs`. The framework's own server passes a client's
 * `X-Forwarded-For` on, leaves its redirects and refusals without a request id, and fails on TRACE; this one around it
 * does not. A hosted platform does the same in its own way.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import next from 'next';

/** What a handler of a route can be called for; HEAD and OPTIONS are routed too. */
const ROUTED = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The same as in `request-id.ts`. */
const ACCEPTABLE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** @param {{ port: number, host: string, dir?: string }} options */
export async function serve({ port, host, dir = '.' }) {
  // `client-address.ts` believes the socket's address only in a process that runs this server.
  Reflect.set(globalThis, Symbol.for('chainbreak.serve'), true);
  const app = next({ dev: false, dir, hostname: host, port });
  await app.prepare();
  const handle = app.getRequestHandler();

  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 }, (request, response) => {
    const { headers } = request;
    const given = headers['x-request-id'];
    const id = typeof given === 'string' && ACCEPTABLE_ID.test(given) ? given : randomUUID();
    headers['x-request-id'] = id;
    response.setHeader('X-Request-Id', id);
    headers['x-chainbreak-peer'] = request.socket.remoteAddress ?? '';
    delete headers['x-chainbreak-method'];
    if (!ROUTED.has(request.method ?? '')) {
      // The route knows what it allows; the framework would never call it.
      headers['x-chainbreak-method'] = (request.method ?? '').slice(0, 20);
      request.method = 'OPTIONS';
    }
    request.url = readable(request.url ?? '/');
    handle(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.on('clientError', (_, socket) => {
    if (!socket.writable) return socket.destroy();
    socket.end(`HTTP/1.1 400 Bad Request\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n`);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });

  const close = async () => {
    server.close();
    server.closeIdleConnections();
    await app.close();
  };
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : port, close };
}

/**
 * An address that the framework would refuse or redirect by itself becomes one that it routes: what cannot be decoded
 * reads as a replacement character, and an empty segment is one where nothing is.
 * @param {string} url
 */
function readable(url) {
  const [, path = '/', query = ''] =
    /^([^?]*)(.*)$/s.exec(url.startsWith('/') ? url : new URL(url, 'http://host').pathname) ?? [];
  const segments = path
    .replaceAll('\\', '%5C')
    .split('/')
    .map((segment) => {
      try {
        decodeURIComponent(segment);
        return segment;
      } catch {
        return '%EF%BF%BD';
      }
    });
  return segments.join('/').replace(/\/{2,}/g, '/%EF%BF%BD/') + query;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { close } = await serve({
    port: Number(process.env['PORT'] ?? 3000),
    host: process.env['HOST'] ?? '127.0.0.1',
  });
  process.send?.({ ready: true });
  const end = () => void close().finally(() => process.exit(0));
  process.once('SIGINT', end).once('SIGTERM', end);
  // Whoever started this process as a part of a whole is gone.
  process.once('disconnect', end);
}
