import { join } from 'node:path';

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

export const DOCUMENTS: readonly string[] = [
  '**/.github/workflows/*.{yml,yaml}',
  '**/action.{yml,yaml}',
  '**/.github/{chainbreak,dependabot}.{yml,yaml}',
];
