import type { Step } from '#lib/workflow/model/model.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt } from '#lib/workflow/shell/working-directory.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { nameOf, type PullRequestCode, type PullRequestNames } from './pull-request-refs.ts';
import type { RefTracer } from './ref-provenance.ts';

export interface Delivered {
  readonly foreign: PullRequestCode;
  readonly folder: Folder;
  readonly runs?: string;
}

const ARCHIVE = /\/(?:archive|tarball|zipball|legacy\.tar\.gz)\/|codeload\.github\.com/;
const PATCH = /\.(?:patch|diff)\b/;
const PATCH_FIELD = /pull_request\.(?:patch|diff)_url$/;
const MAX_SAVED = 100;
const MAX_WORDS = 60;

export class DeliveryReader {
  readonly #tracer: RefTracer;
  readonly #names: PullRequestNames;
  readonly #saved = new Map<string, PullRequestCode>();

  constructor(tracer: RefTracer, names: PullRequestNames) {
    this.#tracer = tracer;
    this.#names = names;
  }

  get holdsUnpackable(): boolean {
    return this.#saved.size > 0;
  }

  read(command: ShellCommand, step: Step, folder: Folder, printed: PullRequestCode | undefined): Delivered | undefined {
    const { program, redirects } = command;
    const code = printed ?? this.#fetched(command, step);
    if (code !== undefined) return this.#delivered(command, code, folder, printed !== undefined);
    if (ownValue(INSTALLERS, program)?.test(command.args[0]?.value ?? '') === true)
      return this.#installed(command, step);
    if (this.#saved.size === 0 || !isUnpacker(command)) return undefined;
    const operands = [...command.args.slice(0, MAX_WORDS), ...redirects.flatMap(({ target }) => target ?? [])];
    const foreign = operands.map(({ value }) => this.#saved.get(plain(value))).find((found) => found !== undefined);
    return foreign === undefined ? undefined : { foreign, folder: unpackedInto(command, folder) };
  }

  #delivered(command: ShellCommand, foreign: PullRequestCode, folder: Folder, whole: boolean): Delivered | undefined {
    const { pipeline, redirects } = command;
    const next = pipeline.slice(pipeline.indexOf(command) + 1).find(isUnpacker);
    if (next !== undefined) return { foreign, folder: unpackedInto(next, folder) };
    const last = pipeline.at(-1);
    const target = savedAs(command) ?? [...redirects, ...(last?.redirects ?? [])].find(isWritten)?.target?.value;
    if (target === undefined) return undefined;
    if (this.#saved.size < MAX_SAVED) this.#saved.set(plain(target), foreign);
    // `git show commit:file > file` puts the file itself in place.
    const file = whole && command.args.some(({ value }) => /^[^:]+:[^:]/.test(value));
    return file ? { foreign, folder: folderAt(folder, target) } : undefined;
  }

  #fetched(command: ShellCommand, step: Step): PullRequestCode | undefined {
    const { program, args } = command;
    const asked = program === 'gh' ? `${args[0]?.value ?? ''} ${args[1]?.value ?? ''}` : program;
    if (asked === 'pr diff') return this.#named(args.slice(2), step, () => true);
    if (!/^(?:curl|wget|api .*)$/.test(asked)) return undefined;
    return this.#named(args.slice(0, MAX_WORDS), step, (word, path) => {
      return PATCH_FIELD.test(path) || ARCHIVE.test(word) || (PATCH.test(word) && /\/pull\//.test(word));
    });
  }

  #named(
    words: readonly ShellWord[],
    step: Step,
    counts: (word: string, path: string) => boolean,
  ): PullRequestCode | undefined {
    for (const word of words) {
      if (word.literal || word.value.startsWith('-')) continue;
      const origins = this.#tracer.ofWord(word, step);
      const named = origins.filter((origin) => {
        const known = this.#names.of(origin) !== undefined || PATCH_FIELD.test(origin.path);
        return known && counts(`${word.value} ${origin.within}`, origin.path);
      });
      if (named.length === 0) continue;
      const commit = origins.find((origin) => this.#names.of(origin) === 'sha' && origin.lookup === undefined);
      return commit === undefined
        ? { ref: 'branch', moves: true, source: nameOf(word.value) }
        : { ref: 'sha', moves: false, source: commit.path };
    }
    return undefined;
  }

  #installed({ args, text }: ShellCommand, step: Step): Delivered | undefined {
    const foreign = this.#named(args.slice(1, MAX_WORDS), step, (word) => ADDRESS.test(word));
    return foreign === undefined ? undefined : { foreign, folder: undefined, runs: text.trim().split('\n')[0] ?? '' };
  }
}

export const ADDRESS = /^["']?(?:[\w.-]+ ?@ ?)?(?:git\+|git:|https:\/\/|github:|ssh:)[\s\S]{0,400}(?:\$|[\w}])/;

const INSTALLERS: Readonly<Record<string, RegExp>> = {
  bun: /^(?:add|install|i)$/,
  cargo: /^install$/,
  docker: /^(?:build|buildx)$/,
  gem: /^install$/,
  go: /^(?:install|run)$/,
  nix: /^(?:run|build|shell|develop)$/,
  npm: /^(?:install|i|add)$/,
  npx: /^/,
  pip: /^install$/,
  pip3: /^install$/,
  pipx: /^(?:install|run)$/,
  pnpm: /^(?:add|install|i|dlx)$/,
  uv: /^(?:pip|tool|add)$/,
  uvx: /^/,
  yarn: /^(?:add|dlx)$/,
};

function isUnpacker({ program, args }: ShellCommand): boolean {
  if (/^(?:unzip|bsdtar|patch|jar)$/.test(program)) return true;
  const words = args.map(({ value }) => value);
  if (program === 'tar') return words.some((word) => /^-?[a-zA-Z]*x/.test(word) || word === '--extract');
  return program === 'git' && words.some((word) => word === 'apply' || word === 'am');
}

function unpackedInto({ args }: ShellCommand, folder: Folder): Folder {
  const at = args.findIndex(({ value }) => /^(?:-[a-zA-Z]*C|-d|--directory)$/.test(value));
  const joined = args.find(({ value }) => value.startsWith('--directory='))?.value.slice('--directory='.length);
  const into = joined ?? (at === -1 ? undefined : args[at + 1]?.value);
  return into === undefined ? folder : folderAt(folder, into);
}

function isWritten({ operator, target }: ShellCommand['redirects'][number]): boolean {
  return operator.startsWith('>') && target !== undefined && !/^\d$/.test(target.value);
}

function savedAs({ program, args }: ShellCommand): string | undefined {
  if (program !== 'curl' && program !== 'wget') return undefined;
  const at = args.findIndex(({ value }) =>
    program === 'curl' ? /^(?:--output|-[a-zA-Z#]*o)$/.test(value) : /^(?:--output-document|-[a-zA-Z]*O)$/.test(value),
  );
  const name = at === -1 ? undefined : args[at + 1]?.value;
  return name === '-' ? undefined : name;
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}
