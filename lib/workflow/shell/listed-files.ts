import type { Step } from '../model/model.ts';
import { bindingsOf, commandsOf, type ShellBinding, type ShellCommand, type ShellWord } from './shell.ts';

const MAX_LISTERS = 50;
const MAX_VARIABLES = 500;

const LISTS_FILES: ReadonlySet<string> = new Set(['fd', 'fdfind', 'find', 'ls']);

const READS: ReadonlySet<string> = new Set(['mapfile', 'read', 'readarray']);

export function listsFiles({ program, args }: ShellCommand): boolean {
  return program === 'git' ? args[0]?.value === 'ls-files' : LISTS_FILES.has(program);
}

/** Returns the words after which a command looks for the files that it prints; none for the folder that it runs in. */
export function listedPlaces({ program, args }: ShellCommand): readonly ShellWord[] {
  // `find` takes its folders first: what follows an option is the option's.
  const options = program === 'find' ? args.findIndex(({ value }) => /^-[a-z]{2,}/.test(value)) : -1;
  const operands = (options === -1 ? args : args.slice(0, options)).filter(({ value }) => !value.startsWith('-'));
  return program === 'git' ? operands.slice(1) : operands;
}

const firstListers = new WeakMap<readonly ShellCommand[], ShellCommand | undefined>();

export function listerBefore(command: ShellCommand): ShellCommand | undefined {
  const { pipeline } = command;
  if (!firstListers.has(pipeline)) firstListers.set(pipeline, pipeline.find(listsFiles));
  const lister = firstListers.get(pipeline);
  return lister !== undefined && lister.span.start < command.span.start ? lister : undefined;
}

const listersByStep = new WeakMap<Step, ReadonlyMap<string, ShellCommand>>();

/** Returns the command that prints the files which a variable of a loop names: `for f in $(ls)`, `ls | while read f`. */
export function listerOf(name: string, step: Step): ShellCommand | undefined {
  let listers = listersByStep.get(step);
  if (listers === undefined) {
    listers = findListers(step);
    listersByStep.set(step, listers);
  }
  return listers.get(name);
}

function findListers(step: Step): ReadonlyMap<string, ShellCommand> {
  const found = new Map<string, ShellCommand>();
  const commands = commandsOf(step);
  const listers = commands.filter(listsFiles).slice(0, MAX_LISTERS);
  if (listers.length === 0) return found;
  const within = ({ span }: ShellWord): ShellCommand | undefined =>
    listers.find((lister) => span.start <= lister.span.start && lister.span.end <= span.end);
  const bindings: ShellBinding[] = [...bindingsOf(step)];
  for (const command of commands) {
    bindings.push(...command.assignments);
    if (!READS.has(command.program)) continue;
    const lister =
      listerBefore(command) ??
      command.redirects.flatMap(({ target }) => (target === undefined ? [] : (within(target) ?? [])))[0];
    const names = lister === undefined ? [] : command.args.filter(({ value }) => /^\w+$/.test(value));
    for (const { value } of names) if (lister !== undefined) found.set(value, lister);
  }
  for (const { name, value } of bindings.slice(0, MAX_VARIABLES)) {
    const lister = within(value);
    if (lister !== undefined && !found.has(name)) found.set(name, lister);
  }
  for (const { name, value } of bindings.slice(0, MAX_VARIABLES)) {
    const [, other = ''] = /^\$\{?(\w+)(?:\[[@*]\])?\}?$/.exec(value.value) ?? [];
    const lister = found.get(other);
    if (lister !== undefined && !found.has(name)) found.set(name, lister);
  }
  return found;
}
