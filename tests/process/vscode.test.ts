import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createProtocolConnection,
  InitializeRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { DEFAULT_SETTINGS } from '#lib/cli/lsp/settings.ts';
import { fileKind } from '#lib/workflow/repository.ts';
import { DOCUMENTS, serverCommand } from '../../editors/vscode/server-options.ts';

const FOLDER = 'editors/vscode';

interface Manifest {
  readonly main: string;
  readonly version: string;
  readonly capabilities: object;
  readonly contributes: {
    readonly configuration: { readonly properties: Record<string, { default: unknown; scope: string }> };
  };
}

const manifest = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as Manifest;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

beforeAll(() => {
  execFileSync(process.execPath, ['lib/tools/build-vscode.mjs']);
});

describe('the extension for VS Code', () => {
  it('starts the language server that the build put beside it', async () => {
    const { command, args, env } = serverCommand(join(process.cwd(), FOLDER), '', process.execPath);
    const child = spawn(command, args, { env: { NODE_ENV: 'test', PATH: process.env['PATH'], ...env } });
    try {
      const connection = createProtocolConnection(
        new StreamMessageReader(child.stdout),
        new StreamMessageWriter(child.stdin),
      );
      connection.listen();
      const { serverInfo } = await connection.sendRequest(InitializeRequest.type, {
        processId: process.pid,
        rootUri: null,
        capabilities: {},
      });
      expect(serverInfo).toEqual({ name: 'chainbreak', version });
    } finally {
      child.kill();
    }
  });

  it('is one file that needs nothing but the editor', () => {
    const text = readFileSync(join(FOLDER, manifest.main), 'utf8');
    const needed = new Set([...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name));
    const isForeign = (name = ''): boolean => name !== 'vscode' && !isBuiltin(name);
    expect([...needed].filter(isForeign)).toEqual([]);
    expect(manifest.version).toBe(version);
  });

  it('has the defaults of the server, and lets no workspace name a program', () => {
    const { properties } = manifest.contributes.configuration;
    expect(properties['chainbreak.minSeverity']?.default).toBe(DEFAULT_SETTINGS.minSeverity.toLowerCase());
    expect(properties['chainbreak.pedantic']?.default).toBe(DEFAULT_SETTINGS.pedantic);
    expect(properties['chainbreak.path']).toMatchObject({ default: '', scope: 'machine' });
    expect(serverCommand('/x', '/opt/chainbreak', 'node')).toMatchObject({ command: '/opt/chainbreak', args: ['lsp'] });
    expect(manifest.capabilities).toEqual({ untrustedWorkspaces: { supported: true }, virtualWorkspaces: false });
  });

  it('sends the files that a scan reads', () => {
    const names = DOCUMENTS.flatMap((pattern) => {
      const [, before = '', choices = '', middle = '', ends = ''] =
        /^\*\*\/(?:([^{]*)\{([^}]*)\}(\.)\{([^}]*)\}|([^{]*)\{[^}]*\})$/.exec(pattern) ?? [];
      return choices === ''
        ? [pattern.slice(3).replace('*', 'a').replace(/\{.*/, 'yml')]
        : choices.split(',').flatMap((choice) => ends.split(',').map((end) => `${before}${choice}${middle}${end}`));
    });
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => fileKind(name) === undefined)).toEqual([]);
  });
});
