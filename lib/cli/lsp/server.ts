import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  type ClientCapabilities,
  type Connection,
  type Diagnostic,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type FileEvent,
  type Hover,
  type HoverParams,
  type InitializeParams,
  type InitializeResult,
  MarkupKind,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { SKIPPED_FOLDERS } from '../files.ts';
import { Actions, KINDS, type Located } from './actions.ts';
import { Checkout, type Place, placeOf } from './checkout.ts';
import { diagnosticsOf, rangeOf, shownIn } from './diagnostics.ts';
import { hoverAt } from './hover.ts';
import { Schedule } from './schedule.ts';
import { DEFAULT_SETTINGS, type Settings, settingsOf } from './settings.ts';

const SECTION = 'chainbreak';
const WATCHED = [
  '**/.github/workflows/*',
  '**/action.{yml,yaml}',
  '**/.github/{chainbreak,dependabot}.{yml,yaml}',
  '**/{renovate.json,renovate.json5}',
];

interface Opened {
  readonly checkout: Checkout;
  readonly schedule: Schedule;
}

export class LanguageServer {
  readonly #connection: Connection;
  readonly #version: string;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #opened = new Map<string, Opened>();
  readonly #places = new Map<string, Place>();
  readonly #shown = new Map<string, { readonly version: number; readonly diagnostics: readonly Diagnostic[] }>();
  readonly #actions: Actions;
  #client: ClientCapabilities = {};
  #settings: Settings = DEFAULT_SETTINGS;

  constructor(connection: Connection, version: string) {
    this.#connection = connection;
    this.#version = version;
    this.#actions = new Actions({
      locate: (uri) => this.#locate(uri),
      settings: () => this.#settings,
      say: (text) => connection.window.showInformationMessage(text),
    });
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#register());
    connection.onDidChangeConfiguration(({ settings }) => this.#configure(settings?.[SECTION]));
    connection.onDidChangeWatchedFiles(({ changes }) => this.#changedOnDisk(changes));
    connection.onHover((params) => this.#hover(params));
    connection.onCodeAction((params) => this.#actions.list(params));
    connection.onCodeActionResolve((action) => this.#actions.resolve(action));
    this.#documents.onDidChangeContent(({ document }) => this.#change(document));
    this.#documents.onDidSave(({ document }) => this.#saved(document.uri));
    this.#documents.onDidClose(({ document }) => this.#close(document.uri));
  }

  listen(): void {
    this.#documents.listen(this.#connection);
    this.#connection.listen();
  }

  #initialize({ capabilities, initializationOptions }: InitializeParams): InitializeResult {
    this.#client = capabilities;
    this.#settings = settingsOf(initializationOptions);
    this.#actions.clientResolvesEdits =
      capabilities.textDocument?.codeAction?.resolveSupport?.properties.includes('edit') === true;
    this.#actions.clientChecksVersions = capabilities.workspace?.workspaceEdit?.documentChanges === true;
    return {
      serverInfo: { name: SECTION, version: this.#version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [...KINDS], resolveProvider: true },
      },
    };
  }

  async #register(): Promise<void> {
    const { workspace } = this.#client;
    const { client } = this.#connection;
    if (this.#reportsChanges) {
      const watchers = WATCHED.map((globPattern) => ({ globPattern }));
      await client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    if (workspace?.configuration !== true) return;
    if (workspace.didChangeConfiguration?.dynamicRegistration === true) {
      await client.register(DidChangeConfigurationNotification.type, { section: SECTION });
    }
    await this.#configure(undefined);
  }

  async #configure(sent: unknown): Promise<void> {
    const asked = this.#client.workspace?.configuration === true;
    const value: unknown = asked ? await this.#connection.workspace.getConfiguration(SECTION) : sent;
    if (value !== undefined && value !== null) this.#settings = settingsOf(value);
    for (const { schedule } of this.#opened.values()) schedule.changeAll();
  }

  #change(document: TextDocument): void {
    const place = this.#places.get(document.uri) ?? placeOfUri(document.uri);
    if (place === undefined) return;
    this.#places.set(document.uri, place);
    const { checkout, schedule } = this.#openedAt(place.folder);
    checkout.open(place.path, document);
    schedule.change(place.path);
  }

  #openedAt(folder: string): Opened {
    const known = this.#opened.get(folder);
    if (known !== undefined) return known;
    const checkout = new Checkout(folder);
    const guard = (run: () => void): void => {
      try {
        run();
      } catch (error) {
        this.#connection.console.error(error instanceof Error ? (error.stack ?? error.message) : 'unknown error');
      }
    };
    const schedule = new Schedule({
      file: (path) => guard(() => this.#show(checkout, path)),
      all: () => guard(() => this.#showAll(checkout)),
    });
    const opened = { checkout, schedule };
    this.#opened.set(folder, opened);
    return opened;
  }

  #show(checkout: Checkout, path: string): void {
    const document = checkout.document(path);
    if (document === undefined) return;
    const diagnostics = diagnosticsOf(
      { path, folder: checkout.folder, document },
      checkout.scanFile(path),
      this.#settings,
    );
    this.#publish(document, diagnostics);
  }

  #showAll(checkout: Checkout): void {
    const result = checkout.scanAll();
    const { folder } = checkout;
    for (const path of checkout.openPaths) {
      const document = checkout.document(path);
      if (document !== undefined) {
        this.#publish(document, diagnosticsOf({ path, folder, document }, result, this.#settings));
      }
    }
  }

  #publish({ uri, version }: TextDocument, diagnostics: Diagnostic[]): void {
    const shown = { version, diagnostics };
    if (isDeepStrictEqual(this.#shown.get(uri), shown)) return;
    this.#shown.set(uri, shown);
    void this.#connection.sendDiagnostics({ uri, version, diagnostics });
  }

  #close(uri: string): void {
    const place = this.#places.get(uri);
    this.#places.delete(uri);
    this.#shown.delete(uri);
    if (place === undefined) return;
    void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
    const opened = this.#opened.get(place.folder);
    opened?.checkout.close(place.path);
    if (opened?.checkout.openPaths.length === 0) {
      opened.schedule.stop();
      this.#opened.delete(place.folder);
    } else opened?.schedule.changeAll();
  }

  #saved(uri: string): void {
    if (!this.#reportsChanges) this.#readAgain(new Set([this.#places.get(uri)?.folder ?? '']));
  }

  get #reportsChanges(): boolean {
    return this.#client.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
  }

  #changedOnDisk(changes: readonly FileEvent[]): void {
    const others = changes.filter(({ uri }) => !this.#places.has(uri));
    this.#readAgain(new Set(others.flatMap(({ uri }) => placeOfUri(uri)?.folder ?? [])));
  }

  #readAgain(folders: ReadonlySet<string>): void {
    for (const folder of folders) {
      const opened = this.#opened.get(folder);
      opened?.checkout.readAgain();
      opened?.schedule.changeAll();
    }
  }

  #locate(uri: string): Located | undefined {
    const place = this.#places.get(uri);
    if (place === undefined) return undefined;
    const { path, folder } = place;
    const checkout = this.#opened.get(folder)?.checkout;
    const document = checkout?.document(path);
    return checkout === undefined || document === undefined ? undefined : { checkout, path, document };
  }

  #hover({ textDocument, position }: HoverParams): Hover | undefined {
    const located = this.#locate(textDocument.uri);
    if (located === undefined) return undefined;
    const { checkout, path, document } = located;
    const placed = shownIn(path, checkout.scanFile(path), this.#settings).map((finding) => ({
      finding,
      range: rangeOf(finding, document),
    }));
    const formats = this.#client.textDocument?.hover?.contentFormat;
    return hoverAt(position, placed, formats?.includes(MarkupKind.Markdown) === true);
  }
}

function placeOfUri(uri: string): Place | undefined {
  let file: string;
  try {
    file = fileURLToPath(uri);
  } catch {
    return undefined;
  }
  return file.split(sep).some((name) => SKIPPED_FOLDERS.has(name)) ? undefined : placeOf(file);
}
