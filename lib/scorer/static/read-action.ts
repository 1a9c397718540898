import { memoByNode } from '#lib/analysis/memo.ts';
import { LEAVING_RUNTIMES, SUPPORTED_RUNTIMES } from '#lib/data/curated/retired-releases.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { Action } from '#lib/workflow/model/model.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import type { ActionIdentity, ActionTree } from '../facts.ts';
import type { UnknownReason } from '../signal.ts';
import { bundleOrigin } from './bundle.ts';
import { decodedTexts, savesAndRuns } from './decoded.ts';
import { type FindingSignal, readDefinition, readScripts, type Script } from './definition.ts';
import { readDockerfile } from './dockerfile.ts';
import { shapesOf } from './javascript/shapes.ts';
import {
  MAX_DEFINITIONS,
  MAX_JAVASCRIPT_FILES,
  MAX_JAVASCRIPT_TOTAL,
  MAX_SCRIPT,
  MAX_SCRIPTS,
  MAX_SCRIPTS_TOTAL,
} from './limits.ts';
import { folderOf, resolvePath } from './wanted-files.ts';

export type StaticSignal =
  | FindingSignal
  | 'dockerfile-from-unpinned'
  | 'runtime-unsupported'
  | 'runtime-deprecated'
  | 'dist-unverifiable';

export interface PlacedHit {
  readonly what: string;
  readonly place: string;
}

export interface StaticReading {
  readonly kind: 'composite' | 'javascript' | 'docker' | 'unknown';
  readonly hits: ReadonlyMap<StaticSignal, readonly PlacedHit[]>;
  /** Signals that unread files could have changed, with the reason. */
  readonly gaps: ReadonlyMap<StaticSignal, { readonly reason: UnknownReason; readonly evidence: string }>;
  readonly findingCounts: Readonly<Record<Severity, number>>;
}

/** Reads an action's definition and what it runs, within `limits.ts`. Undefined if there is no action at the path. */
export function readAction(tree: ActionTree, identity: ActionIdentity): StaticReading | undefined {
  return readerOf(tree)(identity);
}

const readerOf = memoByNode((tree: ActionTree) =>
  memoByNode((identity: ActionIdentity) => new ActionReader(tree, identity).read()),
);

const CODE: readonly StaticSignal[] = ['malicious-code-shape', 'remote-code-unverified'];
const DEFINITION: readonly StaticSignal[] = [
  ...CODE,
  'composite-injection-context',
  'composite-injection-input',
  'nested-uses-branch',
  'nested-uses-third-party-tag',
  'nested-uses-trusted-tag',
  'docker-image-latest',
  'docker-image-tag',
  'github-env-write-from-input',
  'insecure-commands',
  'runtime-unsupported',
  'runtime-deprecated',
];

const SUPPORTED: ReadonlySet<string> = new Set(SUPPORTED_RUNTIMES);
const LEAVING: ReadonlySet<string> = new Set(LEAVING_RUNTIMES);

const OWN_FILE =
  /(?:\$\{?GITHUB_ACTION_PATH\}?|\$\{\{\s{0,9}github\.action_path\s{0,9}\}\}|\$env:GITHUB_ACTION_PATH)["']?[/\\]([\w./-]{1,200})/g;

class ActionReader {
  readonly #tree: ActionTree;
  readonly #identity: ActionIdentity;
  readonly #paths: ReadonlySet<string>;
  readonly #hits = new Map<StaticSignal, PlacedHit[]>();
  readonly #gaps = new Map<StaticSignal, { reason: UnknownReason; evidence: string }>();
  readonly #counts: Record<Severity, number> = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
  readonly #scripts: Script[] = [];
  readonly #javascript = new Set<string>();
  #scriptsLength = 0;
  #javascriptLength = 0;

  constructor(tree: ActionTree, identity: ActionIdentity) {
    this.#tree = tree;
    this.#identity = identity;
    this.#paths = new Set([...tree.paths, ...tree.files.keys()]);
  }

  read(): StaticReading | undefined {
    const root = this.#definitionIn(this.#identity.path);
    const dockerfile = resolvePath(this.#identity.path, 'Dockerfile') ?? '';
    let kind: StaticReading['kind'] = 'unknown';
    if (root === undefined) {
      // The runner also accepts a folder with only a Dockerfile as an action.
      if (!this.#paths.has(dockerfile)) return undefined;
      kind = 'docker';
      this.#readDockerfile(dockerfile);
    } else kind = this.#readDefinitions(root);
    this.#readScripts();
    return { kind, hits: this.#hits, gaps: this.#gaps, findingCounts: this.#counts };
  }

  #definitionIn(folder: string): string | undefined {
    return ['action.yml', 'action.yaml']
      .map((name) => resolvePath(folder, name) ?? '')
      .find((path) => this.#paths.has(path) || this.#tree.omitted.has(path));
  }

  #readDefinitions(root: string): StaticReading['kind'] {
    const queue = [root];
    let kind: StaticReading['kind'] = 'unknown';
    for (const [index, path] of queue.entries()) {
      const text = this.#textOf(path, DEFINITION);
      if (text === undefined) continue;
      const { owner, name } = this.#identity;
      const { action, hits, counts } = readDefinition(path, text, owner, name);
      for (const severity of ['HIGH', 'MEDIUM', 'LOW', 'INFO'] as const) this.#counts[severity] += counts[severity];
      for (const { signal, what, line } of hits) this.#hit(signal, what, path, line);
      if (action?.using === undefined) {
        this.#gap(DEFINITION, 'not_supported', `${path} cannot be read.`);
        continue;
      }
      const own = this.#readRuns(action, path);
      if (index === 0) kind = own;
      for (const { uses } of action.steps) {
        if (uses?.reference?.kind !== 'local' || uses.reference.form !== '$/') continue;
        const next = this.#definitionIn(uses.reference.path);
        if (next === undefined || queue.includes(next)) continue;
        if (queue.length >= MAX_DEFINITIONS) this.#gap(DEFINITION, 'too_large', 'It calls too many actions.');
        else queue.push(next);
      }
    }
    return kind;
  }

  #readRuns(action: Action, path: string): StaticReading['kind'] {
    const folder = folderOf(path);
    const using = action.using?.value.trim().toLowerCase() ?? '';
    const runs = valueOf(action.root, 'runs');
    const named = (key: string): string => {
      const value = valueOf(runs, key);
      return value?.kind === 'scalar' ? value.text.trim() : '';
    };
    if (LEAVING.has(using)) {
      this.#hit('runtime-deprecated', using, path);
    } else if (!SUPPORTED.has(using)) {
      this.#hit('runtime-unsupported', using === '' ? 'No runtime' : using.slice(0, 40), path);
    }
    if (using === 'composite') {
      for (const { run, span } of action.steps) {
        const { line } = action.source.position(span.start);
        this.#readDecoded({ path, line, text: run?.value ?? '', shell: 'bash', runs: true });
        for (const [, file = ''] of run?.value.matchAll(OWN_FILE) ?? []) this.#readProgram(resolvePath(folder, file));
      }
      return 'composite';
    }
    if (using === 'docker') {
      const image = named('image');
      if (!image.startsWith('docker://')) this.#readDockerfile(resolvePath(folder, image) ?? '');
      for (const key of ['entrypoint', 'pre-entrypoint', 'post-entrypoint']) {
        if (named(key) !== '') this.#readBuilt(folder, [named(key)]);
      }
      return 'docker';
    }
    if (!/^node\d/.test(using)) return 'unknown';
    for (const key of ['pre', 'main', 'post']) {
      if (named(key) !== '') this.#readEntry(folder, named(key));
    }
    this.#checkBundle(folder, named('main'));
    return 'javascript';
  }

  #readDecoded(script: Script): void {
    if (savesAndRuns(script.text)) {
      this.#hit('malicious-code-shape', 'It runs a script that it decodes', script.path, script.line);
    }
    for (const text of decodedTexts(script.text)) this.#addScript({ ...script, text });
  }

  #readEntry(folder: string, written: string): void {
    const path = resolvePath(folder, written);
    if (path === undefined || !(this.#paths.has(path) || this.#tree.omitted.has(path))) {
      this.#gap(CODE, 'not_supported', `The entry point ${written.slice(0, 100)} is not in the repository.`);
    } else this.#readJavaScript(path);
  }

  #readJavaScript(first: string): void {
    const queue = [first];
    for (const path of queue) {
      if (this.#javascript.has(path)) continue;
      if (this.#javascript.size >= MAX_JAVASCRIPT_FILES) {
        return this.#gap(CODE, 'too_large', `It loads more than ${MAX_JAVASCRIPT_FILES} files.`);
      }
      this.#javascript.add(path);
      const text = this.#textOf(path, CODE);
      if (text === undefined) continue;
      this.#javascriptLength += text.length;
      if (this.#javascriptLength > MAX_JAVASCRIPT_TOTAL) {
        return this.#gap(CODE, 'too_large', `Its JavaScript is larger than ${MAX_JAVASCRIPT_TOTAL} characters.`);
      }
      const shapes = shapesOf(text);
      if ('problem' in shapes) {
        this.#gap(CODE, shapes.problem, `${path} is too large or is no JavaScript that can be read.`);
        continue;
      }
      for (const { what, line } of shapes.malicious) this.#hit('malicious-code-shape', `It ${what}`, path, line);
      for (const { what, line } of shapes.remote) this.#hit('remote-code-unverified', `It ${what}`, path, line);
      for (const { text: script, runs, line } of shapes.scripts) {
        this.#addScript({ path, line, text: script, shell: 'bash', runs });
      }
      for (const module of shapes.modules) {
        if (module.startsWith('.')) queue.push(...this.#loaded(folderOf(path), module));
        else this.#checkPackage(path, module);
      }
    }
  }

  #loaded(folder: string, module: string): string[] {
    const base = resolvePath(folder, module);
    if (base === undefined) return [];
    const names = [base, `${base}.js`, `${base}.cjs`, `${base}.mjs`, `${base}/index.js`];
    return names.filter((path) => /\.[cm]?js$/.test(path) && this.#paths.has(path)).slice(0, 1);
  }

  #checkPackage(path: string, module: string): void {
    const name = module
      .split('/')
      .slice(0, module.startsWith('@') ? 2 : 1)
      .join('/');
    if (name.length > 214 || !this.#paths.has(`node_modules/${name}/package.json`)) return;
    this.#gap(CODE, 'not_supported', `${path} loads ${name} from node_modules, which is not read.`);
  }

  #checkBundle(folder: string, main: string): void {
    const origin = bundleOrigin(this.#tree, folder, resolvePath(folder, main) ?? '');
    if (origin !== undefined) this.#hit('dist-unverifiable', origin, resolvePath(folder, main) ?? '');
  }

  #readDockerfile(path: string): void {
    const signals: StaticSignal[] = [...CODE, 'dockerfile-from-unpinned'];
    const text = this.#textOf(path, signals);
    if (text === undefined) return;
    const contents = readDockerfile(text);
    if (contents === undefined) return this.#gap(signals, 'too_large', `${path} is too large.`);
    for (const image of contents.unpinned) {
      this.#hit('dockerfile-from-unpinned', image.slice(0, 100), path);
    }
    for (const { text: script, line } of contents.scripts) {
      this.#addScript({ path, line, text: script, shell: 'bash', runs: true });
    }
    this.#readBuilt(folderOf(path), contents.commands);
  }

  #readBuilt(folder: string, words: readonly string[]): void {
    for (const word of words) {
      const name = word.split('/').at(-1) ?? '';
      if (!/\.(?:sh|bash|py|[cm]?js)$/.test(name)) continue;
      const own = [...this.#tree.files.keys()].find(
        (path) => (path === name || path.endsWith(`/${name}`)) && path.startsWith(folder),
      );
      this.#readProgram(own);
    }
  }

  #readProgram(path: string | undefined): void {
    if (path === undefined || !this.#paths.has(path)) return;
    if (/\.[cm]?js$/.test(path)) return this.#readJavaScript(path);
    const text = this.#textOf(path, CODE);
    if (text === undefined) return;
    const shell = path.endsWith('.py') || /^#!.{0,40}python/.test(text) ? 'python' : 'bash';
    this.#addScript({ path, line: 1, text, shell, runs: true });
  }

  #addScript(script: Script): void {
    if (this.#scripts.some(({ text, path }) => text === script.text && path === script.path)) return;
    this.#scriptsLength += script.text.length;
    const fits = script.text.length <= MAX_SCRIPT && this.#scripts.length < MAX_SCRIPTS;
    if (fits && this.#scriptsLength <= MAX_SCRIPTS_TOTAL) this.#scripts.push(script);
    else if (script.runs) this.#gap(CODE, 'too_large', `${script.path} has scripts that are too large.`);
  }

  #readScripts(): void {
    const all = [...this.#scripts];
    let layer: readonly Script[] = all;
    for (let depth = 0; depth < 2; depth += 1) {
      const inner = layer.flatMap((script) => decodedTexts(script.text).map((text): Script => ({ ...script, text })));
      layer = inner.slice(0, Math.max(0, MAX_SCRIPTS - all.length));
      all.push(...layer);
    }
    for (const { text, path, line } of all) {
      if (savesAndRuns(text)) this.#hit('malicious-code-shape', 'It runs a script that it decodes', path, line);
    }
    const { owner, name } = this.#identity;
    const told = new Set<string>();
    for (const { signal, what, line, script } of readScripts(all, owner, name)) {
      const key = JSON.stringify([signal, script.path, what]);
      if (!told.has(key)) this.#hit(signal, what, script.path, line);
      told.add(key);
    }
  }

  #textOf(path: string, signals: readonly StaticSignal[]): string | undefined {
    const text = this.#tree.files.get(path);
    if (text !== undefined) return text;
    const reason = this.#tree.omitted.has(path) ? 'too_large' : 'not_supported';
    this.#gap(signals, reason, `${path.slice(0, 200)} was not read.`);
    return undefined;
  }

  #hit(signal: StaticSignal, what: string, path: string, line?: number): void {
    const place = line === undefined ? path : `${path}:${line}`;
    this.#hits.set(signal, [...(this.#hits.get(signal) ?? []), { what, place }]);
  }

  #gap(signals: readonly StaticSignal[], reason: UnknownReason, evidence: string): void {
    for (const signal of signals) if (!this.#gaps.has(signal)) this.#gaps.set(signal, { reason, evidence });
  }
}
