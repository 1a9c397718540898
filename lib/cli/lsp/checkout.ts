import { existsSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { replaceText } from '#lib/analysis/incremental/replace-text.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { GITHUB_COM } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { decodeFile } from '#lib/workflow/text/decode.ts';
import { isRepository, type LocalRepository, readRepository, repositoryOfFile } from '../files.ts';
import { createLocal } from '../scan-local.ts';

export interface Place {
  readonly folder: string;
  readonly path: string;
}

export function placeOf(file: string): Place | undefined {
  if (!existsSync(dirname(file))) return undefined;
  const { folder } = repositoryOfFile(file);
  const path = relative(folder, file).split(sep).join('/');
  return fileKind(path) === undefined ? undefined : { folder, path };
}

export class Checkout {
  readonly folder: string;
  readonly #documents = new Map<string, TextDocument>();
  #disk: readonly InputFile[] | undefined;
  #repository: Repository | undefined;
  #results = new Map<string, ScanResult>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get openPaths(): readonly string[] {
    return [...this.#documents.keys()];
  }

  document(path: string): TextDocument | undefined {
    return this.#documents.get(path);
  }

  open(path: string, document: TextDocument): void {
    this.#documents.set(path, TextDocument.create(document.uri, '', document.version, document.getText()));
    this.#replace(path, document.getText());
  }

  close(path: string): void {
    this.#documents.delete(path);
    this.readAgain();
  }

  readAgain(): void {
    this.#disk = undefined;
    this.#repository = undefined;
    this.#results.clear();
  }

  get repository(): Repository {
    this.#repository ??= createLocal(this.#local, this.#inputs(), GITHUB_COM, { config: true });
    return this.#repository;
  }

  scanFile(path: string): ScanResult {
    const known = this.#results.get(path) ?? this.#results.get(ALL);
    if (known !== undefined) return known;
    const result = scanRepository(this.repository, { among: new Set([path]) });
    this.#results.set(path, result);
    return result;
  }

  scanAll(): ScanResult {
    const known = this.#results.get(ALL);
    if (known !== undefined) return known;
    const result = scanRepository(this.repository);
    this.#results = new Map([[ALL, result]]);
    return result;
  }

  #replace(path: string, text: string): void {
    this.#results.clear();
    const decoded = decodeFile(Buffer.from(text));
    const file = this.#repository?.files.find(({ source }) => source.path === path);
    const isModel = fileKind(path) !== 'config' && fileKind(path) !== 'renovate';
    if (this.#repository === undefined || file?.definition === undefined || decoded.text === undefined || !isModel) {
      this.#repository = undefined;
      return;
    }
    this.#repository = replaceText(this.#repository, path, text);
  }

  get #local(): LocalRepository {
    const { folder } = this;
    return { folder, root: '.', only: isRepository(folder) ? undefined : folder };
  }

  #inputs(): readonly InputFile[] {
    this.#disk ??= this.#read();
    const inputs = new Map(this.#disk.map((file) => [file.path, file]));
    for (const [path, document] of this.#documents) {
      const decoded = decodeFile(Buffer.from(document.getText()));
      inputs.set(path, decoded.text === undefined ? { path, ...decoded } : { path, text: decoded.text });
    }
    return [...inputs.values()];
  }

  /** A folder that is not a repository can hold anything, so only open documents are read. */
  #read(): readonly InputFile[] {
    return this.#local.only === undefined ? readRepository(this.#local) : [];
  }
}

const ALL = '';
