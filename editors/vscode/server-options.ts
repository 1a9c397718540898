import { join } from 'node:path';

/** How the language server is started: a program that the user named, or the one that the build put into the extension. */
export function serverCommand(
  extension: string,
  path: string,
  node: string,
): { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  if (path !== '') return { command: path, args: ['lsp'], env: {} };
  // VS Code's own program is Node.js with this variable.
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  return { command: node, args: [join(extension, 'dist', 'chainbreak.mjs'), 'lsp'], env };
}

/** The files that a scan reads; the server leaves all others alone. */
export const DOCUMENTS: readonly string[] = [
  '**/.github/workflows/*.{yml,yaml}',
  '**/action.{yml,yaml}',
  '**/.github/{chainbreak,dependabot}.{yml,yaml}',
];
