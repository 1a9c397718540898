import { commands, type ExtensionContext, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { DOCUMENTS, serverCommand } from './server-options.ts';

let client: LanguageClient | undefined;

export async function activate({ extensionPath, subscriptions }: ExtensionContext): Promise<void> {
  subscriptions.push(
    commands.registerCommand('chainbreak.restart', () => restart(extensionPath)),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('chainbreak.path')) await restart(extensionPath);
    }),
  );
  await restart(extensionPath);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(extensionPath: string): Promise<void> {
  await client?.stop();
  const path = workspace.getConfiguration('chainbreak').get('path', '');
  const { command, args, env } = serverCommand(extensionPath, path, process.execPath);
  const run = { command, args: [...args], options: { env: { ...process.env, ...env } } };
  client = new LanguageClient('chainbreak', 'Chainbreak', run, {
    documentSelector: DOCUMENTS.map((pattern) => ({ scheme: 'file', pattern })),
  });
  await client.start();
}
