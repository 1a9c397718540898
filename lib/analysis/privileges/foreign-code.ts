import type { ExpressionNode } from '#lib/workflow/expressions/expression.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { actionNeeds } from './documented-permissions.ts';
import { isNoOp } from './no-op-steps.ts';

/** Commands that neither run repository code nor touch git; anything else may hide a push. */
export const QUIET_COMMANDS: ReadonlySet<string> = new Set(
  (
    '7z 7za 7zr 7zz apt apt-get awk aws az base64 basename bc break brew bsdtar bunzip2 bzip2 cat cd chmod chown cmp ' +
    'column comm continue cp cpio curl ' +
    'cut date declare df diff dirname do docker du echo env exit export expr false find fold free gcloud getent ' +
    'grep groupadd gsutil gunzip gzip head hostname id install join jq kill kubectl let ln local ls lscpu mapfile md5sum ' +
    'mkdir mktemp mv nl nproc paste popd printenv printf ps pushd pwd read readarray readlink readonly realpath ' +
    'return rev rm rmdir rustup sed seq set sha1sum sha256sum sha512sum shasum shift shopt sleep sort ' +
    'source-date split stat strings sudo sync sysctl tac tail tar tee test timedatectl touch tr tree true type ' +
    'ulimit umask uname uniq unrar unset unxz unzip unzstd wc wget which xargs xz yq zcat zip zstd [ [['
  ).split(' '),
);

/**
 * True if a step runs code that was not written for this job: anything but a first-party action that prepares or moves
 * files.
 */
export function runsForeignCode(step: Step): boolean {
  if (isNoOp(step)) return false;
  if (step.run !== undefined)
    return commandsOf(step).length === 0 || commandsOf(step).some((command) => !isInert(command));
  const { reference } = step.uses ?? {};
  if (reference === undefined) return false;
  if (reference.kind !== 'repository') return true;
  const owner = reference.owner.toLowerCase();
  return actionNeeds(step)?.runsCode === true || (owner !== 'actions' && owner !== 'github');
}

export function isInert(command: ShellCommand): boolean {
  const { program, words } = command;
  if (words.length === 0 || program === 'git' || program === 'gh' || isDecision(command)) return true;
  if (/^apt(?:-get)?$/.test(program)) return command.args.some(({ value }) => REMOVES.test(value));
  if (program === 'find') return !command.args.some(({ value }) => /^-(?:exec|ok)/.test(value));
  if (program === 'helm')
    return !command.args.some(({ value }) => value === 'plugin' || value.startsWith('--post-renderer'));
  return runsItself(program === 'xargs' ? programOfXargs(command) : program);
}

const REMOVES = /^(?:auto-?clean|auto-?remove|clean|purge|remove|update)$/;

const DECIDES: ReadonlySet<string> = new Set([
  ...['always', 'cancelled', 'contains', 'endswith', 'failure', 'startswith', 'success'],
]);

function isDecision({ words, args }: ShellCommand): boolean {
  const head = words[words.length - args.length - 1];
  const [expression, ...more] = head?.expressions ?? [];
  if (head === undefined || expression?.node === undefined || more.length > 0) return false;
  return /^\$\{\{[^{}]*\}\}$/.test(head.value) && isBoolean(expression.node);
}

function isBoolean(node: ExpressionNode): boolean {
  if (node.type === 'and' || node.type === 'or') return node.args.every(isBoolean);
  return node.type === 'compare' || node.type === 'not' || (node.type === 'call' && DECIDES.has(node.name));
}

function runsItself(program: string): boolean {
  return QUIET_COMMANDS.has(program) && !/^(?:apt|apt-get|brew|docker|install|xargs|find|sudo)$/.test(program);
}

export function programOfXargs({ args }: ShellCommand): string {
  const words = args.map(({ value }) => value);
  const index = words.findIndex((word, at) => !word.startsWith('-') && !/^-[adEILnPs]$/.test(words[at - 1] ?? ''));
  return index < 0 ? 'echo' : (words[index] ?? '');
}

export function isQuiet({ program, words }: ShellCommand): boolean {
  return words.length === 0 || QUIET_COMMANDS.has(program);
}

/** Like {@link runsForeignCode} without third-party actions, which can read the job's token anyway. */
export function runsWorkspaceCode(step: Step): boolean {
  const thirdParty = step.uses?.reference?.kind === 'repository' && actionNeeds(step)?.runsCode !== true;
  return !thirdParty && runsForeignCode(step);
}
