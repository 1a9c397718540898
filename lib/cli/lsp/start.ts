import { createConnection } from 'vscode-languageserver/node';
import { LanguageServer } from './server.ts';

/** Serves one editor over standard input and output until it disconnects, which ends the process. */
export async function serveEditor(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  version: string,
): Promise<never> {
  const connection = createConnection(input, output);
  const server = new LanguageServer(connection, version);
  server.listen();
  return new Promise(() => {});
}
