import { createConnection } from 'vscode-languageserver/node';
import { LanguageServer } from './server.ts';

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
