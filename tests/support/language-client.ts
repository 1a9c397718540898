import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  type CodeAction,
  type CodeActionParams,
  CodeActionRequest,
  ConfigurationRequest,
  createProtocolConnection,
  type Diagnostic,
  DidChangeConfigurationNotification,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExitNotification,
  type Hover,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type Range,
  RegistrationRequest,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

export const EDITOR: ClientCapabilities = {
  textDocument: {
    hover: { contentFormat: ['markdown', 'plaintext'] },
    codeAction: { resolveSupport: { properties: ['edit'] }, dataSupport: true },
  },
  workspace: {
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true },
  },
};

const WAIT_MS = 30_000;

export class LanguageClient {
  readonly #child: ChildProcess;
  readonly #connection: ProtocolConnection;
  readonly #latest = new Map<string, { readonly version: number | undefined; readonly diagnostics: Diagnostic[] }>();
  readonly #waiting = new Set<() => void>();
  readonly messages: string[] = [];
  readonly registered: string[] = [];
  readonly ended: Promise<number | null>;
  settings: unknown = null;
  errors = '';

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, ['dist/cli.mjs', 'lsp', '--stdio'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { NODE_ENV: 'test', PATH: process.env['PATH'], CHAINBREAK_NO_CACHE: '1', ...env },
    });
    this.ended = new Promise((resolve) => this.#child.on('exit', resolve));
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.errors += data.toString();
    });
    this.#connection = createProtocolConnection(
      new StreamMessageReader(this.#child.stdout as NodeJS.ReadableStream),
      new StreamMessageWriter(this.#child.stdin as NodeJS.WritableStream),
    );
    this.#connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
      this.#latest.set(uri, { version, diagnostics });
      for (const wake of this.#waiting) wake();
    });
    this.#connection.onNotification(ShowMessageNotification.type, ({ message }) => {
      this.messages.push(message);
    });
    this.#connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => this.settings));
    this.#connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      this.registered.push(...registrations.map(({ method }) => method));
    });
    this.#connection.listen();
  }

  async start(capabilities: ClientCapabilities = EDITOR, initializationOptions?: unknown) {
    const result = await this.#connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities,
      initializationOptions,
    });
    await this.#connection.sendNotification(InitializedNotification.type, {});
    return result;
  }

  async open(file: string, text: string): Promise<string> {
    const uri = pathToFileURL(file).href;
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    await this.#connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    return uri;
  }

  async change(uri: string, version: number, text: string, range?: Range): Promise<void> {
    const contentChanges = [range === undefined ? { text } : { range, text }];
    const textDocument = { uri, version };
    await this.#connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
  }

  async save(uri: string): Promise<void> {
    await this.#connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument: { uri } });
  }

  async close(uri: string): Promise<void> {
    await this.#connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  }

  async changedOnDisk(file: string): Promise<void> {
    const changes = [{ uri: pathToFileURL(file).href, type: 2 as const }];
    await this.#connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
  }

  async configure(settings: unknown): Promise<void> {
    this.settings = settings;
    await this.#connection.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
  }

  hover(uri: string, line: number, character: number): Promise<Hover | null> {
    return this.#connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position: { line, character } });
  }

  async actions(uri: string, range: Range, context: Partial<CodeActionParams['context']> = {}): Promise<CodeAction[]> {
    const params = { textDocument: { uri }, range, context: { diagnostics: [], ...context } };
    return ((await this.#connection.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
  }

  resolve(action: CodeAction): Promise<CodeAction> {
    return this.#connection.sendRequest('codeAction/resolve', action);
  }

  request<Result>(method: string, params: unknown): Promise<Result> {
    return this.#connection.sendRequest(method, params);
  }

  async shown(
    uri: string,
    fits: (diagnostics: readonly Diagnostic[], version: number | undefined) => boolean,
  ): Promise<Diagnostic[]> {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const latest = this.#latest.get(uri);
      if (latest !== undefined && fits(latest.diagnostics, latest.version)) return latest.diagnostics;
      if (Date.now() > end)
        throw new Error(`The last diagnostics do not fit: ${JSON.stringify(latest)} ${this.errors}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, WAIT_MS);
        this.#waiting.add(wake);
      });
    }
  }

  async stop(): Promise<number | null> {
    await this.#connection.sendRequest(ShutdownRequest.type);
    await this.#connection.sendNotification(ExitNotification.type);
    return this.ended;
  }

  kill(): void {
    this.#connection.dispose();
    this.#child.kill('SIGKILL');
  }

  hangUp(): void {
    this.#child.stdin?.end();
  }
}
