import type { Step } from '#lib/workflow/model/model.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { pathOrConfiguredFolder } from './copied-code.ts';
import { DeliveryReader } from './delivered-code.ts';
import { mostMovable, nameOf, type PullRequestCode, type PullRequestNames } from './pull-request-refs.ts';
import type { RefTracer } from './ref-provenance.ts';

export interface GitCheckout {
  readonly step: Step;
  readonly by: 'git' | 'gh';
  readonly span: Span;
  readonly folder: Folder;
  readonly foreign: PullRequestCode | undefined;
  readonly guard: 'absent';
  /** What runs, if the same command fetches and runs the code. */
  readonly runs?: string;
}

const MAX_COMMANDS = 2_000;

export const BRINGS_CODE = /\b(?:git|gh|hub|curl|wget)\b|github/;

export function gitCheckouts(steps: readonly Step[], tracer: RefTracer, names: PullRequestNames): GitCheckout[] {
  const found: GitCheckout[] = [];
  const reader = new GitReader(tracer, names);
  const deliveries = new DeliveryReader(tracer, names);
  for (const step of steps) {
    if (!deliveries.holdsUnpackable && !BRINGS_CODE.test(step.run?.value ?? '')) continue;
    for (const { command, folder } of placedCommands(step).slice(0, MAX_COMMANDS)) {
      const own = reader.read(command, step, folder);
      found.push(...own);
      const delivered =
        own.length > 0 ? undefined : deliveries.read(command, step, folder, reader.printed.get(command));
      if (delivered !== undefined) found.push({ ...delivered, step, by: 'git', span: command.span, guard: 'absent' });
    }
  }
  return found;
}

interface NamedCommits {
  readonly printed: ReadonlyMap<ShellCommand, PullRequestCode>;
  readonly pushed: ReadonlyMap<ShellWord, PullRequestCode>;
}

export function namedCommits(steps: readonly Step[], tracer: RefTracer, names: PullRequestNames): NamedCommits {
  const reader = new GitReader(tracer, names);
  for (const step of steps) {
    if (!/\bgit\b/.test(step.run?.value ?? '')) continue;
    for (const { command, folder } of placedCommands(step).slice(0, MAX_COMMANDS)) reader.read(command, step, folder);
  }
  return reader;
}

type Result = (Pick<GitCheckout, 'foreign' | 'folder'> & { readonly paths?: readonly string[] }) | undefined;

class GitReader {
  readonly #tracer: RefTracer;
  readonly #names: PullRequestNames;
  readonly #fetched = new Map<string, PullRequestCode>();
  readonly #remotes = new Map<string, string>();
  readonly printed = new Map<ShellCommand, PullRequestCode>();
  readonly pushed = new Map<ShellWord, PullRequestCode>();

  constructor(tracer: RefTracer, names: PullRequestNames) {
    this.#tracer = tracer;
    this.#names = names;
  }

  read(command: ShellCommand, step: Step, folder: Folder): GitCheckout[] {
    const { program } = command;
    if (program !== 'git' && program !== 'gh' && program !== 'hub') return [];
    const result = program === 'git' ? this.#git(command, step, folder) : this.#byHub(command.args, step, folder);
    if (result === undefined) return [];
    const { paths = [undefined], ...rest } = result;
    const by = program === 'git' ? 'git' : 'gh';
    return paths.map((path) => ({
      ...rest,
      folder: path === undefined ? rest.folder : folderAt(rest.folder, path),
      step,
      by,
      span: command.span,
      guard: 'absent',
    }));
  }

  #byHub(args: readonly ShellWord[], step: Step, folder: Folder): Result {
    const [noun, verb] = args;
    if (noun?.value !== 'repo' || verb?.value !== 'clone') return this.#pullRequestCheckout(args, step, folder);
    const rest = args.slice(2);
    const options = rest.findIndex(({ value }) => value === '--');
    return this.#clone(options === -1 ? rest : rest.slice(0, options), step, folder);
  }

  #pullRequestCheckout(args: readonly ShellWord[], step: Step, folder: Folder): Result {
    if (args[0]?.value !== 'pr' || args[1]?.value !== 'checkout') return undefined;
    for (const word of args.slice(2)) {
      for (const origin of this.#tracer.ofWord(word, step)) {
        if (this.#names.of(origin) === undefined) continue;
        return { foreign: { ref: 'branch', moves: true, source: nameOf(word.value) }, folder };
      }
    }
    return undefined;
  }

  #git(command: ShellCommand, step: Step, folder: Folder): Result {
    const { args } = command;
    let at = folder;
    let index = 0;
    for (let word = args[index]; word?.value.startsWith('-') === true; word = args[index]) {
      if (word.value === '-C') at = folderAt(folder, args[index + 1]?.value ?? '');
      index += word.value === '-C' || word.value === '-c' ? 2 : 1;
    }
    const verb = args[index]?.value ?? '';
    const rest = args.slice(index + 1);
    switch (verb) {
      case 'archive':
      case 'cat-file':
      case 'diff':
      case 'diff-tree':
      case 'format-patch':
      case 'log':
      case 'ls-tree':
      case 'shortlog':
      case 'show': {
        const code = this.#commitIn(rest, step);
        if (code !== undefined) this.printed.set(command, code);
        return undefined;
      }
      case 'remote':
        if (rest[0]?.value === 'add') this.#addRemote(rest.slice(1), step);
        return undefined;
      case 'fetch':
        this.#fetchOf(rest, step);
        return undefined;
      case 'pull': {
        const code = this.#fetchOf(rest, step);
        return code === undefined ? undefined : { foreign: code, folder: at };
      }
      case 'push':
        this.#push(rest, step);
        return undefined;
      case 'clone':
        return this.#clone(rest, step, at);
      case 'restore':
        return this.#ofPaths(sourceOf(rest), step, at);
      case 'checkout': {
        const limited = limitedTo(rest);
        return limited === undefined ? this.#switchTo(verb, rest, step, at) : this.#ofPaths(limited, step, at);
      }
      case 'switch':
      case 'reset':
      case 'merge':
      case 'rebase':
      case 'cherry-pick':
        return this.#switchTo(verb, rest, step, at);
      case 'worktree': {
        const code = rest[0]?.value === 'add' ? this.#named(rest.slice(2), step) : undefined;
        return code === undefined
          ? undefined
          : { foreign: code, folder: folderAt(at, operandsOf(rest)[1]?.value ?? '') };
      }
      default:
        return undefined;
    }
  }

  #addRemote(args: readonly ShellWord[], step: Step): void {
    const [name, url] = positional(args);
    const source = url === undefined ? undefined : this.#repositorySource(url, step);
    if (name !== undefined && source !== undefined) this.#remotes.set(name.value, source);
  }

  #repositorySource(word: ShellWord, step: Step): string | undefined {
    const origins = this.#tracer.ofWord(word, step);
    return origins.find((origin) => this.#names.choosesRepository(origin, word.value))?.path;
  }

  #fetchOf(args: readonly ShellWord[], step: Step): PullRequestCode | undefined {
    const [remote, ...refspecs] = operandsOf(args);
    const codes: PullRequestCode[] = [];
    const source =
      remote === undefined ? undefined : (this.#remotes.get(remote.value) ?? this.#repositorySource(remote, step));
    if (source !== undefined && remote !== undefined) {
      codes.push({ ref: 'branch', moves: true, source });
      this.#fetched.set(`${remote.value}/`, codes[0] as PullRequestCode);
    }
    for (const refspec of refspecs) {
      const code = this.#fetchedCode(refspec, step) ?? codes[0];
      if (code === undefined) continue;
      codes.push(code);
      const [, target] = /:(?:refs\/(?:heads|remotes)\/)?([^:\s]+)$/.exec(refspec.value) ?? [];
      if (target !== undefined) this.#fetched.set(target.replace(/\*[\s\S]*/, ''), code);
    }
    const code = mostMovable(codes);
    if (code === undefined) this.#fetched.delete('FETCH_HEAD');
    else this.#fetched.set('FETCH_HEAD', code);
    return code;
  }

  #fetchedCode(refspec: ShellWord, step: Step): PullRequestCode | undefined {
    const pull = /pull\/(.{0,400}?)\/(head|merge)\b/.exec(refspec.value.slice(0, 500));
    if (pull !== null && (pull[1] === '*' || !refspec.literal)) {
      return { ref: pull[2] === 'merge' ? 'merge' : 'branch', moves: true, source: nameOf(refspec.value) };
    }
    return this.#commit(refspec, step);
  }

  #push(args: readonly ShellWord[], step: Step): void {
    for (const refspec of positional(args).slice(1)) {
      const [source] = refspecOf(refspec);
      const computed = source.includes('$') || source.includes('`');
      const code = this.#fetchedAs(source) ?? (computed ? this.#commit(refspec, step) : undefined);
      if (code !== undefined) this.pushed.set(refspec, code);
    }
  }

  #commit(word: ShellWord, step: Step): PullRequestCode | undefined {
    return word.literal || this.#isOwnBranch(word)
      ? undefined
      : this.#names.commitAmong(this.#tracer.ofWord(word, step));
  }

  #isOwnBranch({ value }: ShellWord): boolean {
    return value.startsWith('origin/') && !this.#remotes.has('origin');
  }

  #clone(args: readonly ShellWord[], step: Step, at: Folder): Result {
    const [url, target] = operandsOf(args);
    const source = url === undefined ? undefined : this.#repositorySource(url, step);
    if (source === undefined) return undefined;
    return { foreign: { ref: 'branch', moves: true, source }, folder: target && folderAt(at, target.value) };
  }

  #switchTo(verb: string, args: readonly ShellWord[], step: Step, folder: Folder): Result {
    const creates = args.some(({ value }) => CREATES.test(value));
    const named = creates ? args.filter((_, index) => !CREATES.test(args[index - 1]?.value ?? '')) : args;
    const code = this.#named(named, step);
    if (code !== undefined) {
      const [name] = positional(args);
      if (creates && name !== undefined) this.#fetched.set(name.value, code);
      return { foreign: code, folder };
    }
    const leaves = (verb === 'checkout' || verb === 'switch') && !creates && !args.some(({ value }) => value === '--');
    const target = positional(args);
    return leaves && target.length === 1 && /^(?:main|master|-)$/.test(target[0]?.value ?? '')
      ? { foreign: undefined, folder }
      : undefined;
  }

  #ofPaths(limited: Limited | undefined, step: Step, folder: Folder): Result {
    if (limited === undefined || limited.paths.length === 0 || limited.paths.length > MAX_PATHS) return undefined;
    const foreign = this.#fetchedAs(limited.name) ?? this.#commit(limited.ref, step);
    // The current commit may be the outsider's.
    if (foreign === undefined && /^(?:HEAD|FETCH_HEAD|ORIG_HEAD|-|@)/.test(limited.name)) return undefined;
    return {
      foreign,
      folder,
      paths: limited.paths.map((path) => (foreign === undefined ? path : pathOrConfiguredFolder(path))),
    };
  }

  #named(words: readonly ShellWord[], step: Step): PullRequestCode | undefined {
    for (const word of words) {
      const code = this.#fetchedAs(word.value) ?? this.#commit(word, step);
      if (code !== undefined) return code;
    }
    return undefined;
  }

  /** A word can name a range, `main...pr`, or a path of a commit, `pr:file`. */
  #commitIn(words: readonly ShellWord[], step: Step): PullRequestCode | undefined {
    for (const word of words) {
      const parts = word.value.split(/\.{2,3}|:/);
      const code = parts.map((part) => this.#fetchedAs(part)).find((found) => found !== undefined);
      if (code !== undefined) return code;
      const commit = this.#commit(word, step);
      if (commit !== undefined) return commit;
    }
    return undefined;
  }

  #fetchedAs(value: string): PullRequestCode | undefined {
    for (const [name, code] of this.#fetched) {
      if (value === name || (name.endsWith('/') && value.startsWith(name))) return code;
    }
    return undefined;
  }
}

const CREATES = /^-(?:b|B|c|C)$|^--(?:create|force-create|orphan)$/;

const MAX_PATHS = 30;

interface Limited {
  readonly ref: ShellWord;
  readonly name: string;
  readonly paths: readonly string[];
}

function limitedTo(args: readonly ShellWord[]): Limited | undefined {
  if (args.some(({ value }) => /^-(?:b|B|t)$|^--(?:orphan|track|detach|ours|theirs|patch)/.test(value)))
    return undefined;
  const dashes = args.findIndex(({ value }) => value === '--');
  const before = positional(dashes === -1 ? args : args.slice(0, dashes));
  const [ref, ...rest] = before;
  const paths = dashes === -1 ? rest : args.slice(dashes + 1);
  return ref === undefined || paths.length === 0
    ? undefined
    : { ref, name: ref.value, paths: paths.map(({ value }) => pathOf(value)) };
}

function sourceOf(args: readonly ShellWord[]): Limited | undefined {
  const at = args.findIndex(({ value }) => /^(?:-s|--source)(?:=|$)/.test(value));
  const word = args[at];
  if (word === undefined) return undefined;
  const joined = word.value.startsWith('--source=');
  const ref = joined ? word : args[at + 1];
  if (ref === undefined) return undefined;
  const others = args.filter((_, index) => index !== at && (joined || index !== at + 1));
  return {
    ref,
    name: ref.value.replace(/^--source=/, ''),
    paths: positional(others).map(({ value }) => pathOf(value)),
  };
}

function pathOf(value: string): string {
  return value.replace(/^:\/(?!\()/, './').replace(/\/?\*{1,2}$/, '') || '.';
}

export function refspecOf({ value }: ShellWord): readonly [source: string, target: string] {
  const text = value.replace(/^\+/, '');
  const at = text.lastIndexOf(':');
  return at === -1 ? [text, text] : [text.slice(0, at), text.slice(at + 1)];
}

const VALUED =
  /^(?:-[bBcjo]|--(?:branch|config|deepen|depth|filter|jobs|origin|reference|server-option|shallow-since))$/;

function operandsOf(words: readonly ShellWord[]): ShellWord[] {
  return positional(words.filter((_, index) => !VALUED.test(words[index - 1]?.value ?? '')));
}

export function positional(words: readonly ShellWord[]): ShellWord[] {
  return words.filter(({ value }) => value === '-' || !value.startsWith('-'));
}
