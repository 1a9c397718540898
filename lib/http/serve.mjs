/**
 * Serves the built web app: `node lib/http/serve.mjs`. Wraps the framework's server, which trusts `X-Forwarded-For`,
 * omits request ids on redirects and errors, and fails on TRACE. Hosting platforms do this themselves.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import next from 'next';
import { configuredHosts, isServed } from '#lib/served-hosts.mjs';

const ROUTED = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const DROP_MS = 2_000;

const REFUSALS = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

const ACCEPTABLE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export async function serve({ port, host, dir = '.' }) {
  // `client-address.ts` trusts the socket address only in this process.
  Reflect.set(globalThis, Symbol.for('chainbreak.serve'), true);
  // The framework never answers upgrades of its server, so it gets one that receives none.
  const app = next({ dev: false, dir, hostname: host, port, httpServer: createServer() });
  await app.prepare();
  await Reflect.get(globalThis, Symbol.for('chainbreak.start'));
  const handle = app.getRequestHandler();

  const hosts = configuredHosts(process.env);
  // Node would refuse a missing host without a request id.
  const limits = { requestTimeout: 60_000, headersTimeout: 20_000, requireHostHeader: false };
  const server = createServer(limits, (request, response) => {
    const { headers } = request;
    headers['x-request-id'] = identify(request, response);
    if (headers.host === undefined && request.httpVersion === '1.1') return void response.writeHead(400).end();
    if (headers.host !== undefined && !isServed(headers.host, request.socket, hosts)) {
      closeWhenUnread(request, response);
      response.writeHead(421, { 'Content-Type': 'text/plain; charset=utf-8' });
      return void response.end('This host is not served here. Set it in WEB_URL or WEB_HOSTS.');
    }
    headers['x-chainbreak-peer'] = request.socket.remoteAddress ?? '';
    delete headers['x-chainbreak-method'];
    if (!ROUTED.has(request.method ?? '')) {
      headers['x-chainbreak-method'] = (request.method ?? '').slice(0, 20);
      request.method = 'OPTIONS';
    }
    request.url = readable(request.url ?? '/');
    closeWhenUnread(request, response);
    handle(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.on('checkExpectation', (request, response) => {
    identify(request, response);
    response.writeHead(417).end();
  });
  server.on('clientError', (error, socket) => {
    if (!socket.writable) return socket.destroy();
    const status = REFUSALS.get('code' in error ? String(error.code) : '') ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n`);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });

  const close = async () => {
    server.close();
    server.closeIdleConnections();
    await Reflect.get(globalThis, Symbol.for('chainbreak.threads'))?.close();
    await app.close();
  };
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : port, close };
}

function identify({ headers }, response) {
  const given = headers['x-request-id'];
  const id = typeof given === 'string' && ACCEPTABLE_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/**
 * A refused body is not read to its end, so its connection cannot serve another request. Further data is dropped for a
 * moment, so that the client reads the answer.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function closeWhenUnread(request, response) {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...parameters) => {
    if (!request.complete) response.shouldKeepAlive = false;
    return writeHead(...parameters);
  };
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    setTimeout(() => request.destroy(), DROP_MS).unref();
  });
}

/**
 * Makes an address routable that the framework would refuse or redirect by itself: a replacement character takes the
 * place of segments that are empty or cannot be decoded.
 * @param {string} url
 */
function readable(url) {
  const [, path = '/', query = ''] = /^([^?]*)(.*)$/s.exec(url.startsWith('/') ? url : withoutHost(url)) ?? [];
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

function withoutHost(url) {
  if (!URL.canParse(url, 'http://host')) return '/%EF%BF%BD';
  const { pathname, search } = new URL(url, 'http://host');
  return pathname + search;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { close } = await serve({
    port: Number(process.env['PORT'] ?? 3000),
    host: process.env['HOST'] ?? '127.0.0.1',
  });
  process.send?.({ ready: true });
  const end = () => void close().finally(() => process.exit(0));
  process.once('SIGINT', end).once('SIGTERM', end);
  process.once('disconnect', end);
}
