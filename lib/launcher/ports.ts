import { createServer } from 'node:net';
import { AppError } from '#lib/errors.ts';

function refusal(port: number, host: string): Promise<{ readonly port: number } | { readonly code: string }> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? 'unknown' }));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve({ port: typeof address === 'object' && address !== null ? address.port : port }));
    });
  });
}

export async function requirePort(port: number, host: string): Promise<void> {
  const result = await refusal(port, host);
  if ('port' in result) return;
  const why = result.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${result.code})`;
  throw new AppError(
    'usage',
    `Port ${port} ${why}. Choose another one: PORT=${port === 65_535 ? 3000 : port + 1} npm start`,
  );
}

export async function freePort(wanted: number | undefined, except: readonly number[] = []): Promise<number> {
  if (wanted !== undefined && !except.includes(wanted) && 'port' in (await refusal(wanted, '127.0.0.1'))) return wanted;
  for (;;) {
    const result = await refusal(0, '127.0.0.1');
    if (!('port' in result)) throw new AppError('internal', `No free port on 127.0.0.1 (${result.code}).`);
    if (!except.includes(result.port)) return result.port;
  }
}
