import { ownValue } from '#lib/workflow/text/own-value.ts';
import { powershellCode, type RemoteCode, savedPrograms } from './powershell-downloads.ts';

export type { RemoteCode } from './powershell-downloads.ts';

import { matrixTexts } from '#lib/workflow/expressions/matrix.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { jobOf, type Variables } from '#lib/workflow/model/model.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { redirectFile, savedFile } from '#lib/workflow/shell/saved-files.ts';
import { commandsIn, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import { clonedCode } from './cloned-code.ts';
import { type EvaluatedAnswer, evaluatedAnswers, fetchingFunctions } from './evaluated-answers.ts';

const MAX_DOWNLOADS = 100;
const MAX_FOLLOWED = 400;
const MAX_WORDS = 200;
const MAX_NAMES = 16;
const MAX_URL = 2_000;
const MAX_VALUE = 500;

const VERIFIES =
  /\b(?:sha\d{1,3}(?:sum)?|shasum|md5sum|b[23]sum|cksum|hashlib|gpgv|cosign|minisign|slsa-verifier|get-filehash|attestation\s+verify|openssl\s+dgst)\b|sha(?:256|384|512)|gpg[^\n]{0,200}--verify/i;

/** Returns the downloads that a step runs, each once, without verified ones and loopback. */
export function remoteCodeOf(step: Step): RemoteCode[] {
  const { run } = step;
  if (run === undefined || !FETCHES.test(run.value)) return [];
  const shell = shellOf(step);
  const found: RemoteCode[] = [];
  if (shell === 'posix' || shell === 'unknown') {
    const commands = commandsIn(run);
    const later = laterCommands(step);
    const reader = new DownloadReader(
      [...commands, ...later],
      knownVariables(commands, step),
      checksOf(commands, run.value),
      fetchingFunctions(step),
      (text) => stated(text, step),
    );
    found.push(...commands.flatMap((command) => reader.read(command)), ...clonedCode(commands, later));
    for (const answer of evaluatedAnswers(step)) {
      if (found.every(({ span }) => span.start !== answer.span.start)) found.push(reader.evaluated(answer));
    }
  }
  if (shell === 'powershell' || shell === 'cmd')
    found.push(...savedPrograms(run.value, (index) => offsetInScalar(run.node, index)));
  if (shell !== 'posix') found.push(...powershellCode(run.value, (index) => offsetInScalar(run.node, index)));
  return found.map((code) => withStatedUrl(code, step)).filter(({ url }) => url === undefined || !isLocal(url));
}

const MAX_LATER_STEPS = 30;

function laterCommands({ parent, index }: Step): readonly ShellCommand[] {
  const later = parent.steps.slice(index + 1, index + 1 + MAX_LATER_STEPS);
  return later.flatMap((step) => (step.run === undefined || shellOf(step) !== 'posix' ? [] : commandsIn(step.run)));
}

function withStatedUrl(code: RemoteCode, step: Step): RemoteCode {
  if (code.url?.includes('${{') !== true) return code;
  const url = stated(code.url, step).slice(0, MAX_URL);
  return { ...code, url, insecure: code.insecure || url.startsWith('http://') };
}

function stated(text: string, step: Step): string {
  if (!text.includes('${{')) return text;
  const choices = matrixTexts(withStatedVariables(text, step), jobOf(step));
  return choices.find((choice) => !/\d\.\d/.test(choice)) ?? choices[0] ?? text;
}

const FETCHES =
  /\b(?:curl|wget|irm|iwr|deno|amm|groovy|jbang|pipx run|scala-cli|uv run|git clone|kubectl|downloadfile|invoke-restmethod|invoke-webrequest|downloadstring)\b/i;

function isLocal(url: string): boolean {
  const host = hostOf(url);
  if (host === undefined) return false;
  return /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1\]|host\.docker\.internal)$/.test(host) || /^[\w-]+$/.test(host);
}

export function hostOf(url: string): string | undefined {
  const host = /^[a-z]+:\/\/(?:[^/@\s]*@)?(\[[^\]/]*\]|[^/:?#]+)/i.exec(url)?.[1]?.toLowerCase();
  return host === undefined || host.includes('$') ? undefined : host;
}

function knownVariables(commands: readonly ShellCommand[], step: Step): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  const job = jobOf(step);
  const declare = (block: Variables | undefined): void => {
    for (const { name, value } of block?.entries ?? []) {
      if (value.value.length <= MAX_VALUE) known.set(name, value.value);
    }
  };
  declare(job?.workflow.env);
  declare(job?.env);
  for (const [name, value] of variablesWrittenBefore(step)) {
    if (value === undefined) known.delete(name);
    else known.set(name, value);
  }
  declare(step.env);
  const assigned = new Set<string>();
  for (const { assignments } of commands) {
    for (const { name, value } of assignments) {
      const computed = value.text.includes('$(') || value.text.includes('`') || value.text.length > MAX_VALUE;
      if (assigned.has(name) || computed) known.delete(name);
      else known.set(name, value.value);
      assigned.add(name);
    }
  }
  return known;
}

const MAX_EARLIER_STEPS = 30;

function variablesWrittenBefore({ parent, index }: Step): ReadonlyMap<string, string | undefined> {
  const written = new Map<string, string | undefined>();
  for (const step of parent.steps.slice(Math.max(0, index - MAX_EARLIER_STEPS), index)) {
    if (step.run?.value.includes('GITHUB_ENV') !== true) continue;
    for (const { file, words } of commandFileWrites(step)) {
      if (file !== 'env') continue;
      for (const { value: text } of words) {
        const [, name, value = ''] = /^(\w{1,100})=([^\n]*)$/.exec(text.slice(0, MAX_VALUE)) ?? [];
        if (name === undefined) continue;
        const plain = !/[$`]/.test(value) && !written.has(name);
        written.set(name, plain ? value : undefined);
      }
    }
  }
  return written;
}

type Checks = ReadonlySet<string> | 'all';

const CHECKSUMS = /sums?\b|\.(?:asc|crt|pem|sig|sha\d*|md5|txt|bundle)$|checksum/i;

function checksOf(commands: readonly ShellCommand[], script: string): Checks {
  if (!VERIFIES.test(script)) return NOTHING_CHECKED;
  const saved = commands.flatMap((command) => {
    const file = isDownload(command) ? savedFile(command, firstAddress(command)) : undefined;
    return file === undefined || CHECKSUMS.test(file) ? [] : [nameOf(file)];
  });
  const checks = commands.filter(
    (command) => command.program !== '' && !isDownload(command) && VERIFIES.test(command.text.slice(0, MAX_URL)),
  );
  const pipelines = [...new Set(checks.map(({ pipeline }) => pipeline))];
  if (pipelines.length === 0 || pipelines.length > MAX_DOWNLOADS || saved.length > MAX_DOWNLOADS) return 'all';
  const named = pipelines.map((pipeline) => {
    const text = pipeline.map((each) => plainPath(each.text)).join(' ');
    return saved.filter((name) => mentions(text, name));
  });
  return named.some((names) => names.length === 0) ? 'all' : new Set(named.flat());
}

function mentions(text: string, name: string): boolean {
  if (name.length > MAX_URL) return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + name.length] ?? '')) return true;
  }
  return false;
}

const NOTHING_CHECKED: Checks = new Set();

function isDownload({ program }: ShellCommand): boolean {
  return program === 'curl' || program === 'wget';
}

function firstAddress({ args }: ShellCommand): string | undefined {
  return args.find(({ value }) => /^https?:/.test(value))?.value;
}

function nameOf(file: string): string {
  return plainPath(file).split('/').at(-1) ?? file;
}

const INTERPRETERS = /^(?:(?:ba|z|da|k|a|fi)?sh|pwsh|python[\d.]*|perl|ruby|node|php|Rscript)$/;
const SHELLS = /^(?:ba|z|da|k|a)?sh$/;
const INLINE_CODE: Readonly<Record<string, RegExp>> = {
  shell: /^-[a-z]*c$/,
  python: /^-[a-zA-Z]*[cm]/,
  other: /^-[a-zA-Z]*[enpErR]|^--(?:eval|print|run)/,
};
const INSTALLERS: Readonly<Record<string, RegExp>> = {
  dpkg: /^(?:-i|--install)$/,
  rpm: /^-[a-zA-Z]*[iU]/,
  apt: /^install$/,
  'apt-get': /^install$/,
  dnf: /^install$/,
  yum: /^(?:local)?install$/,
  apk: /^add$/,
  installer: /^-pkg$/,
  msiexec: /^\/i$/i,
  pip: /^install$/,
  pip3: /^install$/,
  java: /^-jar$/,
};
const RUNS_ADDRESSES: Readonly<Record<string, RegExp>> = {
  amm: /^https?:/,
  deno: /^(?:run|install)$/,
  groovy: /^https?:/,
  jbang: /^(?:run|app|https?:)/,
  pipx: /^run$/,
  'scala-cli': /^(?:run$|https?:)/,
  uv: /^run$/,
};
const EXECUTABLE_MODE = /^[ugoa]*\+[rwst]*x|^[0-7]?[1357][0-7]{2}$/;
const PROGRAM_FOLDER = /(?:^|\/)s?bin(?:\/|$)/;

class DownloadReader {
  readonly #commands: readonly ShellCommand[];
  readonly #variables: ReadonlyMap<string, string>;
  readonly #checks: Checks;
  readonly #functions: ReadonlyMap<string, ShellCommand>;
  readonly #stated: (text: string) => string;
  #left = MAX_DOWNLOADS;

  constructor(
    commands: readonly ShellCommand[],
    variables: ReadonlyMap<string, string>,
    checks: Checks,
    functions: ReadonlyMap<string, ShellCommand>,
    statedText: (text: string) => string,
  ) {
    this.#functions = functions;
    this.#stated = statedText;
    this.#commands = commands;
    this.#variables = variables;
    this.#checks = checks;
  }

  read(command: ShellCommand): RemoteCode[] {
    const { program, span } = command;
    const runs = ownValue(RUNS_ADDRESSES, program);
    if (runs !== undefined) return this.#fetchedByRunner(command, runs);
    if (program === 'pwsh' || program === 'powershell') return powershellCode(command.text, () => span.start, span.end);
    if (program === 'kubectl') return this.#applied(command);
    const fetches = isDownload(command) || this.#functions.has(program);
    if (!fetches || this.#left === 0) return [];
    this.#left -= 1;
    const url = this.#url(command);
    const base = { url, insecure: isInsecure(command, url), span };
    const saved = savedFile(command, url);
    if (saved !== undefined) return this.#savedAndRun(command, saved, base);
    return this.#fed(command, base);
  }

  evaluated({ by, span, asked, through }: EvaluatedAnswer): RemoteCode {
    const url = this.#url(asked) ?? (through && this.#url(through));
    return { url, insecure: isInsecure(through ?? asked, url), kind: 'evaluated', runner: by, span };
  }

  #fed(command: ShellCommand, base: Pick<RemoteCode, 'url' | 'insecure' | 'span'>): RemoteCode[] {
    const { pipeline, within } = command;
    for (const next of pipeline.slice(pipeline.indexOf(command) + 1)) {
      const span = { start: base.span.start, end: next.span.end };
      if (readsProgramFromInput(next)) return [{ ...base, kind: 'piped', runner: next.program, span }];
      if (isUnpacker(next)) return this.#unpacked(command, next, { ...base, span });
      if (next.program === 'install' && next.args.some(({ value }) => value === '/dev/stdin' || value === '-')) {
        return this.#isVerified(undefined)
          ? []
          : [{ ...base, kind: 'saved', runner: next.args.at(-1)?.value ?? 'install', span }];
      }
      const file = next.program === 'tee' ? next.args.find(({ value }) => !value.startsWith('-'))?.value : undefined;
      const target = file ?? redirectFile(next.redirects);
      const saved = target === undefined ? [] : this.#savedAndRun(next, target, base);
      if (saved.length > 0) return saved;
    }
    if (within === undefined) return [];
    const holder = within.args.findIndex(
      (word) => word.span.start <= base.span.start && base.span.end <= word.span.end,
    );
    const word = within.args[holder];
    if (word === undefined) return [];
    const runner = within.program === '.' ? 'source' : within.program;
    const processFile = word.text.startsWith('<(');
    const isCode =
      (within.program === 'eval' && /^["']?(?:\$\(|`)/.test(word.text)) ||
      (INTERPRETERS.test(within.program) &&
        (processFile
          ? holder === firstOperand(within)
          : holder === inlineCodeIndex(within) && /^"?(?:\$\(|`)/.test(word.text))) ||
      ((within.program === 'source' || within.program === '.') && processFile);
    return isCode ? [{ ...base, kind: 'piped', runner, span: within.span }] : [];
  }

  #savedAndRun(command: ShellCommand, file: string, base: Pick<RemoteCode, 'url' | 'insecure' | 'span'>): RemoteCode[] {
    if (this.#isVerified(file) || file === '/dev/null') return [];
    const names = new Set([plainPath(file)]);
    const has = (word: ShellWord | undefined): boolean => word !== undefined && samePath(names, plainPath(word.value));
    for (const next of this.#after(command)) {
      const { program } = next;
      if (VERIFIES.test(next.text) && next.text.includes(file.split('/').at(-1) ?? file)) return [];
      const args = next.args.slice(0, MAX_WORDS);
      const head = next.words[next.words.length - next.args.length - 1];
      const runs =
        (head?.value.includes('/') === true && has(head)) ||
        (program === 'chmod' && EXECUTABLE_MODE.test(args[0]?.value ?? '') && args.some(has)) ||
        ((INTERPRETERS.test(program) || program === 'source' || program === '.') &&
          has(next.args[firstOperand(next)]) &&
          !onlyParses(next)) ||
        (args.some(({ value }) => ownValue(INSTALLERS, program)?.test(value)) && args.some(has));
      if (runs) return [{ ...base, kind: 'saved', runner: file }];
      if (!args.some(has)) continue;
      const destination = args.at(-1);
      if (program === 'install' && !args.some(({ value }) => value === '-d')) {
        return [{ ...base, kind: 'saved', runner: file }];
      }
      if (/^(?:mv|cp|ln)$/.test(program) && destination !== undefined && names.size < MAX_NAMES) {
        names.add(plainPath(destination.value));
        names.add(plainPath(`${destination.value}/${file.split('/').at(-1) ?? ''}`));
      }
      if (program === 'gunzip' || program === 'gzip') names.add(plainPath(file.replace(/\.gz$/, '')));
      if (isUnpacker(next)) return this.#unpacked(command, next, base, file);
    }
    return [];
  }

  #unpacked(
    command: ShellCommand,
    unpacker: ShellCommand,
    base: Pick<RemoteCode, 'url' | 'insecure' | 'span'>,
    file?: string,
  ): RemoteCode[] {
    if (this.#isVerified(file)) return [];
    const folder = unpackFolder(unpacker);
    const installs =
      (folder !== undefined && PROGRAM_FOLDER.test(folder)) ||
      this.#after(command).some((next) => {
        const last = next.args.at(-1)?.value ?? '';
        return (
          (/^(?:mv|cp|install|ln)$/.test(next.program) && PROGRAM_FOLDER.test(last)) ||
          startsBelow(next, folder, base.url) ||
          (next.program === 'chmod' && EXECUTABLE_MODE.test(next.args[0]?.value ?? '')) ||
          next.redirects.some(({ target }) => target?.value.includes('GITHUB_PATH') === true)
        );
      });
    return installs ? [{ ...base, kind: 'unpacked', runner: unpacker.program }] : [];
  }

  #isVerified(file: string | undefined): boolean {
    return this.#checks === 'all' || (file !== undefined && this.#checks.has(nameOf(file)));
  }

  #after(command: ShellCommand): readonly ShellCommand[] {
    const start = this.#commands.indexOf(command) + 1;
    return this.#commands.slice(start, start + MAX_FOLLOWED);
  }

  #applied(command: ShellCommand): RemoteCode[] {
    const [verb] = command.args;
    if (verb === undefined || !/^(?:apply|create|replace)$/.test(verb.value)) return [];
    if (!command.args.some(({ value }) => /^(?:-f|-k|--filename|--kustomize)(?:=|$)/.test(value))) return [];
    const url = this.#url(command);
    if (url === undefined || !/^https?:/.test(url)) return [];
    return [{ url, insecure: url.startsWith('http:'), kind: 'applied', runner: 'kubectl', span: command.span }];
  }

  #fetchedByRunner(command: ShellCommand, verbs: RegExp): RemoteCode[] {
    const { args } = command;
    const verb = args.findIndex(({ value }) => !value.startsWith('-'));
    if (!verbs.test(args[verb]?.value ?? '')) return [];
    const url = this.#url(command);
    const at = args.findIndex(({ value }) => this.#expand(value) === url);
    const isOption = (index: number): boolean => args[index]?.value.startsWith('-') === true;
    for (let index = verb + 1; index < at; index += 1) {
      const installed = args[index]?.value === 'install';
      if (!installed && !isOption(index) && !isOption(index - 1)) return [];
    }
    if (url === undefined || !/^https?:/.test(url)) return [];
    return [{ url, insecure: url.startsWith('http:'), kind: 'piped', runner: command.program, span: command.span }];
  }

  #url(command: ShellCommand): string | undefined {
    const { args } = command;
    for (const [index, word] of args.entries()) {
      if (/^(?:-x|--proxy|-e|--referer|-H|--header|-d|--data.*)$/.test(args[index - 1]?.value ?? '')) continue;
      const value = this.#expand(word.value);
      if (/^[a-z]+:\/\//i.test(value)) return value;
      if (!word.value.startsWith('-') && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\/\S*$/i.test(value)) {
        const previous = args[index - 1]?.value ?? '';
        if (!/^-[a-zA-Z]*[oO]$|^--output/.test(previous)) return `https://${value}`;
      }
    }
    return undefined;
  }

  #expand(value: string): string {
    let text = this.#stated(value.slice(0, MAX_URL));
    for (let round = 0; round < 3 && text.includes('$') && text.length < MAX_URL; round += 1) {
      const next = text.replace(/\$\{(\w+)\}|\$(\w+)/g, (whole, braced: string, bare: string) => {
        const value = this.#variables.get(braced ?? bare);
        return value === undefined ? whole : this.#stated(value);
      });
      if (next === text) break;
      text = next;
    }
    return text.slice(0, MAX_URL);
  }
}

function startsBelow({ words, args }: ShellCommand, folder: string | undefined, url: string | undefined): boolean {
  const path = words[words.length - args.length - 1]?.value ?? '';
  const called = plainPath(path);
  if (folder !== undefined) return called.includes('/') && called.startsWith(`${plainPath(folder)}/`);
  const archive =
    url
      ?.split('/')
      .at(-1)
      ?.replace(/\.(?:tar\.\w{1,4}|tgz|zip|tbz2?|txz)$/, '') ?? '';
  if (archive === '' || !path.includes('/')) return false;
  // A program beside the archive is the repository's own unless their names agree: `./tool` of `tool-linux.tgz`.
  if (!called.includes('/')) return archive.startsWith(called) && !/[\da-z]/i.test(archive.charAt(called.length));
  return called.split('/')[0] === archive;
}

function isInsecure(command: ShellCommand, url: string | undefined): boolean {
  if (url !== undefined && /^http:\/\//i.test(url)) return true;
  return command.args.some(({ value }) =>
    command.program === 'curl'
      ? value === '--insecure' || /^-[sSfLgv]*k[sSfLgvoO]*$/.test(value)
      : value === '--no-check-certificate',
  );
}

function readsProgramFromInput(command: ShellCommand): boolean {
  if (!INTERPRETERS.test(command.program) || inlineCodeIndex(command) !== -1) return false;
  if (command.redirects.some(({ operator, body }) => body !== undefined || operator === '<')) return false;
  const index = firstOperand(command);
  const operand = command.args[index]?.value;
  if (operand === undefined || operand === '-' || operand === '/dev/stdin') return true;
  return SHELLS.test(command.program) && command.args.slice(0, index).some(({ value }) => /^-[a-z]*s$/.test(value));
}

function inlineCodeIndex({ program, args }: ShellCommand): number {
  const kind = SHELLS.test(program) ? 'shell' : program.startsWith('python') ? 'python' : 'other';
  const option = args.findIndex(({ value }) => INLINE_CODE[kind]?.test(value));
  return option === -1 ? -1 : option + 1;
}

function firstOperand({ args }: ShellCommand): number {
  const index = args.findIndex(({ value }) => value === '-' || !value.startsWith('-'));
  return index === -1 ? args.length : index;
}

const PARSES_ONLY: Readonly<Record<string, RegExp>> = {
  node: /^(?:-c|--check)$/,
  perl: /^-[w]?c[w]?$/,
  php: /^(?:-l|--syntax-check)$/,
  ruby: /^-[w]?c[w]?$/,
};

function onlyParses(command: ShellCommand): boolean {
  const { program, args } = command;
  const option = SHELLS.test(program) ? /^-[euvx]{0,4}n[euvx]{0,4}$/ : ownValue(PARSES_ONLY, program);
  return option !== undefined && args.slice(0, firstOperand(command)).some(({ value }) => option.test(value));
}

function isUnpacker({ program, args }: ShellCommand): boolean {
  if (program === 'unzip' || program === 'bsdtar') return true;
  return program === 'tar' && args.some(({ value }) => /^-?[a-zA-Z]*x/.test(value) || value === '--extract');
}

function unpackFolder({ args }: ShellCommand): string | undefined {
  const at = args.findIndex(({ value }) => /^(?:-[a-zA-Z]*C|-d|--directory)$/.test(value));
  return at === -1
    ? args.find(({ value }) => value.startsWith('--directory='))?.value.slice('--directory='.length)
    : args[at + 1]?.value;
}

function plainPath(path: string): string {
  return path
    .replace(/\$\{(\w+)\}/g, '$$$1')
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/{2,}/g, '/');
}

function samePath(names: ReadonlySet<string>, path: string): boolean {
  if (names.has(path)) return true;
  const base = path.split('/').at(-1) ?? '';
  if (base === '') return false;
  return [...names].some(
    (name) => name.split('/').at(-1) === base && (!name.includes('/') || !path.includes('/')) && base !== '$',
  );
}
