import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';

export interface InstalledPackage {
  readonly text: string;
  readonly exact: boolean;
}

export interface Install {
  readonly tool: string;
  readonly packages: readonly InstalledPackage[];
}

const VALUED: Readonly<Record<string, RegExp>> = {
  npm: /^(?:--prefix|-C|--registry|-w|--workspace|--tag|--cache|--loglevel|--cwd|--dir|--filter|-F|--location|--before|--userconfig|-p|--package)$/,
  npx: /^(?:--prefix|-C|--registry|-w|--workspace|--cache|--loglevel|--userconfig|-p|--package|-c|--call|--node-arg|-n)$/,
  pip: /^(?:-r|--requirement|-c|--constraint|-i|--index-url|--extra-index-url|--default-index|--generate-shell-completion|--index|-t|--target|--python|-p|--platform|-f|--find-links|--prefix|--root|--cache-dir|--no-binary|--only-binary|--python-version|--progress-bar|--timeout|--retries|--trusted-host|-e|--editable|--with|--from|--upgrade-strategy|--exclude-newer|--index-strategy|--prerelease|--resolution|--group|--extra|--only-group|--torch-backend|--keyring-provider|--link-mode|--src|--config-settings|-C|--implementation|--abi|--proxy|--log|--report|--directory|--project|-w|--with-requirements|--with-editable)$/,
  conda: /^(?:-n|--name|-c|--channel|-p|--prefix|-f|--file)$/,
  gem: /^(?:-v|--version|-i|--install-dir|-n|--bindir|-s|--source|-P|--trust-policy|--platform|-g|--group|--path|--git|--branch|--ref)$/,
  cargo:
    /^(?:--version|--vers|--git|--rev|--tag|--branch|--features|-F|--target|--root|--path|--profile|--registry|--index|--bin|--example|-j|--jobs|--config|--target-dir|--color|-Z|--message-format)$/,
  dotnet: /^(?:--version|--tool-path|--add-source|--source|--configfile|--framework|-v|--verbosity)$/,
  go: /^(?:-ldflags|-tags|-o|-C|-mod|-p|-gcflags)$/,
  powershell: /^-(?:Scope|Repository|RequiredVersion|MinimumVersion|MaximumVersion|Name)$/i,
  other: /^(?:--version|--pin|-s|--source|--params|-d|--working-dir|-y=\w+)$/,
};

function operandsOf(args: readonly ShellWord[], tool: string): ShellWord[] {
  const valued = VALUED[tool] ?? VALUED['other'];
  const operands: ShellWord[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] as ShellWord;
    if (valued?.test(word.value) === true) index += 1;
    else if (!word.value.startsWith('-')) operands.push(word);
  }
  return operands;
}

function optionValue(args: readonly ShellWord[], names: RegExp): string | undefined {
  for (const [index, { value }] of args.entries()) {
    if (names.test(value)) return args[index + 1]?.value;
    const [name = '', after] = value.split('=', 2);
    if (after !== undefined && names.test(name)) return after;
  }
  return undefined;
}

const has = (args: readonly ShellWord[], option: RegExp): boolean => args.some(({ value }) => option.test(value));

const MAX_NAME = 300;

function isUntold(text: string): boolean {
  if (text === '' || text.length > MAX_NAME) return true;
  return /^(?:[./~$`*]|file:|link:|workspace:)|\.(?:tgz|whl|gem|zip|nupkg|tar\.gz)$/i.test(text);
}

function packagesOf(words: readonly ShellWord[], isExact: (text: string) => boolean): InstalledPackage[] {
  return words.flatMap(({ value }) =>
    isUntold(value) || (value.includes('/*') && !value.includes('://')) ? [] : [{ text: value, exact: isExact(value) }],
  );
}

const COMMIT = /[0-9a-f]{40}/i;
const AFTER_AT = /[^@/]@v?\d+\.\d+\.\d[\w.+-]*$/;

function hasVariableAfter(text: string, mark: RegExp): boolean {
  const at = text.search(mark);
  return at !== -1 && text.includes('$', at);
}

const exactNpm = (text: string): boolean =>
  AFTER_AT.test(text) || hasVariableAfter(text, /(?<=[^@/])@/) || COMMIT.test(text);
const exactPython = (text: string): boolean =>
  /==\s*\d/.test(text.slice(text.lastIndexOf('*') + 1)) ||
  /@\d+\.\d/.test(text) ||
  hasVariableAfter(text, /==|@/) ||
  COMMIT.test(text);

export interface InstallContext {
  readonly nothingInstalled: boolean;
  readonly charts: ReadonlySet<string>;
}

/** Returns what a command installs by name; undefined if nothing, or if a lockfile or hashes apply. */
export function installOf(command: ShellCommand, context?: InstallContext): Install | undefined {
  const install =
    readInstall(command.program, command.args, context?.nothingInstalled === true) ??
    (command.program === 'helm' && context !== undefined ? readChart(command.args, context.charts) : undefined);
  return install === undefined || install.packages.length === 0 ? undefined : install;
}

function readInstall(program: string, args: readonly ShellWord[], nothingInstalled: boolean): Install | undefined {
  const first = args[0]?.value ?? '';
  if (/^python[\d.]*$/.test(program) && first === '-m') {
    const module = args[1]?.value ?? '';
    return /^(?:pip|pipx)$/.test(module) ? readInstall(module, args.slice(2), nothingInstalled) : undefined;
  }
  switch (program) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return readNode(program, args, nothingInstalled);
    case 'pnpx':
      return readRunner(program, args, true);
    case 'npx':
    case 'bunx':
      return readRunner(program, args, nothingInstalled);
    case 'uv':
      if (first === 'pip') return readInstall('pip', args.slice(1), nothingInstalled);
      if (first === 'run') return readPlugins('uv run', addedPackages(args.slice(1)));
      return first === 'tool' && /^(?:install|run)$/.test(args[1]?.value ?? '')
        ? readPythonTool('uv tool', args.slice(2))
        : undefined;
    case 'uvx':
      return readPythonTool(program, args);
    case 'pip':
    case 'pip3':
      return readPip(args);
    case 'pipx':
      if (first === 'run' && runsLocalScript(args.slice(1))) return undefined;
      if (first === 'inject') return readPlugins('pipx inject', operandsOf(args.slice(1), 'pip').slice(1));
      return /^(?:install|run)$/.test(first) ? readPythonTool(program, args.slice(1)) : undefined;
    case 'pdm':
    case 'poetry':
      return readSelf(program, args);
    case 'conda':
    case 'mamba':
    case 'micromamba':
      return readConda(program, args);
    case 'gem':
      return readGem(args);
    case 'cargo':
      return readCargo(args);
    case 'go':
      return readGo(args);
    default:
      return readAddressed(program, args) ?? readOther(program, args);
  }
}

function readNode(tool: string, args: readonly ShellWord[], nothingInstalled: boolean): Install | undefined {
  const words = operandsOf(args, 'npm');
  const verbs = words.map(({ value }) => value);
  if (tool === 'npm' && (verbs[0] === 'exec' || verbs[0] === 'x'))
    return readRunner('npm exec', args.slice(1), nothingInstalled);
  if (words[0] !== undefined && (tool === 'pnpm' || tool === 'yarn') && verbs[0] === 'dlx')
    return readRunner(`${tool} dlx`, args.slice(args.indexOf(words[0]) + 1), true);
  const skipped = tool === 'yarn' && verbs[0] === 'global' ? 2 : 1;
  const verb = verbs[skipped - 1] ?? '';
  const adds = tool === 'yarn' ? verb === 'add' : /^(?:install|i|add)$/.test(verb);
  return adds ? { tool, packages: packagesOf(words.slice(skipped), exactNpm) } : undefined;
}

/** `npx name` prefers installed packages unless it names a version or allows a download. */
function readRunner(tool: string, args: readonly ShellWord[], nothingInstalled: boolean): Install | undefined {
  const [operand] = operandsOf(args, 'npx');
  const before = operand === undefined ? args : args.slice(0, args.indexOf(operand));
  if (has(before, /^--no(?:-install)?$/)) return undefined;
  const named = optionValue(before, /^(?:-p|--package)$/);
  const text = named ?? operand?.value ?? '';
  const fetches = nothingInstalled || named !== undefined || /.@/.test(text) || has(before, /^(?:-y|--yes)$/);
  return fetches && !isUntold(text) ? { tool, packages: [{ text, exact: exactNpm(text) }] } : undefined;
}

const FROM_CHECKOUT = /@\s*\.{1,2}$/;

function readPip(args: readonly ShellWord[]): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'pip');
  if (verb?.value !== 'install' || has(args, /^--(?:require-hashes|no-index|dry-run)$/)) return undefined;
  const constrained = has(args, /^(?:-c|--constraint|--exclude-newer)(?:=|$)/);
  // A path needs no leading dot if the folder exists.
  const editable = args.filter(
    ({ value }, index) => value.includes('://') && /^(?:-e|--editable)$/.test(args[index - 1]?.value ?? ''),
  );
  const named = [...words, ...editable].filter(
    ({ value }) => value.includes('://') || !(value.includes('/') || FROM_CHECKOUT.test(value)),
  );
  return { tool: 'pip', packages: packagesOf(named, (text) => constrained || exactPython(text)) };
}

function readPythonTool(tool: string, args: readonly ShellWord[]): Install | undefined {
  const text = optionValue(args, /^(?:--from|--spec)$/) ?? operandsOf(args, 'pip')[0]?.value ?? '';
  return isUntold(text) ? undefined : { tool, packages: [{ text, exact: exactPython(text) }] };
}

function readSelf(tool: string, args: readonly ShellWord[]): Install | undefined {
  const [self, add, ...words] = operandsOf(args, 'pip');
  return self?.value === 'self' && add?.value === 'add' ? readPlugins(`${tool} self`, words) : undefined;
}

function addedPackages(args: readonly ShellWord[]): ShellWord[] {
  const [called] = operandsOf(args, 'pip');
  const options = called === undefined ? args : args.slice(0, args.indexOf(called));
  return options.flatMap((word, index) => {
    const [, given] = /^--with=(.+)$/.exec(word.value) ?? [];
    const value = /^(?:-w|--with)$/.test(options[index - 1]?.value ?? '') ? word.value : given;
    return value?.split(',').map((name) => ({ ...word, value: name.trim() })) ?? [];
  });
}

function readPlugins(tool: string, words: readonly ShellWord[]): Install {
  return { tool, packages: packagesOf(words, exactPython) };
}

function runsLocalScript(args: readonly ShellWord[]): boolean {
  const name = operandsOf(args, 'pip')[0]?.value ?? '';
  return (
    has(args, /^--path$/) ||
    (name.endsWith('.py') && !name.includes('://') && optionValue(args, /^--spec$/) === undefined)
  );
}

const COMMON_CHANNELS = /^(?:defaults|main|anaconda|conda-forge|bioconda|nvidia|pytorch)$/;

function readConda(tool: string, args: readonly ShellWord[]): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'conda');
  const channel = optionValue(args, /^(?:-c|--channel)$/);
  if (verb === undefined || !/^(?:install|create)$/.test(verb.value)) return undefined;
  if (channel === undefined || COMMON_CHANNELS.test(channel)) return undefined;
  return { tool, packages: packagesOf(words, (text) => /=\d+\.\d/.test(text)).filter(({ exact }) => !exact) };
}

function readChart(args: readonly ShellWord[], charts: ReadonlySet<string>): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'other');
  if (verb === undefined || !/^(?:install|upgrade)$/.test(verb.value)) return undefined;
  if (optionValue(args, /^--version$/) !== undefined) return undefined;
  const named = words.filter(({ value }) => charts.has(value.split('/')[0] ?? '') && value.includes('/'));
  return { tool: 'helm', packages: named.map(({ value }) => ({ text: value, exact: false })) };
}

function readGem(args: readonly ShellWord[]): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'gem');
  if (verb?.value !== 'install' || has(args, /^(?:-l|--local|-g|--file)(?:=|$)/)) return undefined;
  const version = optionValue(args, /^(?:-v|--version)$/);
  const fixed = version !== undefined && !/[<>~]/.test(version);
  return {
    tool: 'gem',
    packages: packagesOf(words, (text) => fixed || /:\d+\.\d/.test(text) || hasVariableAfter(text, /:/)),
  };
}

function readCargo(args: readonly ShellWord[]): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'cargo').filter(({ value }) => !value.startsWith('+'));
  if (verb === undefined || !/^(?:install|binstall)$/.test(verb.value)) return undefined;
  if (has(args, /^(?:--path|--list)(?:=|$)/)) return undefined;
  const fixed = optionValue(args, /^(?:--version|--vers|--rev|--tag)$/) !== undefined;
  const exact = (text: string): boolean => fixed || AFTER_AT.test(text);
  const address = optionValue(args, /^--git$/);
  if (address !== undefined) return fixed ? undefined : { tool: 'cargo', packages: [{ text: address, exact: false }] };
  // The crate's own lockfile fixes its dependencies.
  const packages = packagesOf(words, exact).filter((one) => !(one.exact && has(args, /^--locked$/)));
  return { tool: 'cargo', packages };
}

/** A version suffices in Go: the checksum database makes it immutable. */
function readGo(args: readonly ShellWord[]): Install | undefined {
  const [verb, ...words] = operandsOf(args, 'go');
  if (verb === undefined || !/^(?:install|run|get)$/.test(verb.value)) return undefined;
  const named = words.filter(({ value }) => /@(?:latest|upgrade|master|main|HEAD)$/.test(value));
  return { tool: 'go', packages: named.map(({ value }) => ({ text: value, exact: false })) };
}

const OTHERS: readonly { program: string; verbs: readonly string[]; tool: string; version: RegExp }[] = [
  { program: 'dotnet', verbs: ['tool', 'install'], tool: 'dotnet', version: /^--version$/ },
  { program: 'dotnet', verbs: ['tool', 'update'], tool: 'dotnet', version: /^--version$/ },
  { program: 'nuget', verbs: ['install'], tool: 'dotnet', version: /^-Version$/i },
  { program: 'choco', verbs: ['install'], tool: 'other', version: /^--version$/ },
  { program: 'helm', verbs: ['plugin', 'install'], tool: 'other', version: /^--version$/ },
  { program: 'gh', verbs: ['extension', 'install'], tool: 'other', version: /^--pin$/ },
  { program: 'composer', verbs: ['global', 'require'], tool: 'other', version: /^$/ },
  { program: 'kubectl', verbs: ['krew', 'install'], tool: 'other', version: /^--manifest$/ },
  { program: 'Install-Module', verbs: [], tool: 'powershell', version: /^-RequiredVersion$/i },
];

const ADDRESSED: Readonly<Record<string, { readonly verb: RegExp; readonly named: RegExp; readonly exact: RegExp }>> = {
  brew: { verb: /^(?:install|tap)$/, named: /^[\w.-]+\/[\w.-]+(?:\/[\w@.-]+)?$/, exact: /^$/ },
  deno: { verb: /^(?:run|install)$/, named: /^(?:npm|jsr):/, exact: /.@v?\d+\.\d+\.\d+(?:\/|$)/ },
  nix: { verb: /^(?:run|shell|build|develop|profile)$/, named: /^(?:github|gitlab|git\+https):/, exact: COMMIT },
};

function ownWords(args: readonly ShellWord[]): readonly ShellWord[] {
  const end = args.findIndex(({ value }) => value === '--');
  return end < 0 ? args : args.slice(0, end);
}

function readAddressed(program: string, args: readonly ShellWord[]): Install | undefined {
  const profile = ownValue(ADDRESSED, program);
  const [verb, ...words] = operandsOf(ownWords(args), 'other');
  if (profile?.verb.test(verb?.value ?? '') !== true) return undefined;
  const named = words.filter(({ value }) => profile.named.test(value) && !/^homebrew\//i.test(value));
  const packages = packagesOf(program === 'brew' ? named : named.slice(0, 1), (text) => profile.exact.test(text));
  // A commit fixes all that Nix builds.
  return {
    tool: `${program} ${verb?.value ?? ''}`,
    packages: program === 'nix' ? packages.filter(({ exact }) => !exact) : packages,
  };
}

function readOther(program: string, args: readonly ShellWord[]): Install | undefined {
  for (const other of OTHERS) {
    if (other.program !== program) continue;
    const words = operandsOf(args, other.tool);
    if (!other.verbs.every((verb, index) => words[index]?.value === verb)) continue;
    const fixed = optionValue(args, other.version) !== undefined;
    const packages = packagesOf(words.slice(other.verbs.length), (text) => fixed || /:\d+\.\d+\.\d+$/.test(text));
    return { tool: [program, ...other.verbs.slice(0, -1)].join(' '), packages };
  }
  return undefined;
}
