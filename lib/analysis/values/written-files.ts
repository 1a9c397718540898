import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { memoByNode } from '../memo.ts';

export interface FileWrite {
  readonly step: Step;
  readonly command: ShellCommand;
}

const MAX_WRITES = 500;
const MAX_WRITES_OF_FILE = 20;
const MENTION = /[>|]|\b(?:tee|cp|mv)\b/;

const writesIn = memoByNode(({ steps }: Step['parent']): ReadonlyMap<string, readonly FileWrite[]> => {
  const writes = new Map<string, FileWrite[]>();
  let left = MAX_WRITES;
  for (const step of steps) {
    if (!MENTION.test(step.run?.value ?? '')) continue;
    for (const command of commandsOf(step)) {
      for (const target of targetsOf(command)) {
        if (left === 0) return writes;
        left -= 1;
        const path = plainPath(target);
        const known = writes.get(path);
        if (known === undefined) writes.set(path, [{ step, command }]);
        else if (known.length < MAX_WRITES_OF_FILE) known.push({ step, command });
      }
    }
  }
  return writes;
});

function targetsOf({ program, args, redirects }: ShellCommand): string[] {
  const redirected = redirects.flatMap(({ operator, target }) =>
    operator.startsWith('>') && target !== undefined ? [target.value] : [],
  );
  if (program === 'tee') return [...redirected, ...args.map(({ value }) => value)];
  const operands = program === 'cp' || program === 'mv' ? args.filter(({ value }) => !value.startsWith('-')) : [];
  return operands.length === 2 ? [...redirected, operands[1]?.value ?? ''] : redirected;
}

/** Returns the commands of this and earlier steps of the same job or action that write a file, by its path. */
export function writesTo(path: string, step: Step): readonly FileWrite[] {
  const writes = writesIn(step.parent).get(plainPath(path)) ?? [];
  return writes.filter((write) => write.step.index <= step.index);
}

const TEMPORARY = /^\$\{\{\s{0,5}runner\.temp\s{0,5}\}\}|^\$\{?RUNNER_TEMP\}?/;
const WORKSPACE = /^(?:\$\{\{\s{0,5}github\.workspace\s{0,5}\}\}|\$\{?GITHUB_WORKSPACE\}?|\$\{?PWD\}?)\//;

/** One way of writing paths that name the same file. */
function plainPath(path: string): string {
  return path
    .replace(TEMPORARY, '$RUNNER_TEMP')
    .replace(WORKSPACE, '')
    .replace(/^(?:\.\/)+/, '');
}
