import type { Step } from '#lib/workflow/model/model.ts';
import { savedFile } from '#lib/workflow/shell/saved-files.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { folderAt } from '#lib/workflow/shell/working-directory.ts';
import { memoByNode } from '../memo.ts';

export interface FileWrite {
  readonly step: Step;
  readonly command: ShellCommand;
}

const MAX_WRITES = 500;
const MAX_WRITES_OF_FILE = 20;
const MENTION = /[>|]|\b(?:tee|cp|mv|curl|wget)\b/;

const writesIn = memoByNode(({ steps }: Step['parent']): ReadonlyMap<string, readonly FileWrite[]> => {
  const writes = new Map<string, FileWrite[]>();
  let left = MAX_WRITES;
  for (const step of steps) {
    if (!MENTION.test(step.run?.value ?? '')) continue;
    for (const command of commandsOf(step)) {
      for (const target of targetsOf(command)) {
        if (left === 0) return writes;
        left -= 1;
        const path = keyOf(target);
        const known = writes.get(path);
        if (known === undefined) writes.set(path, [{ step, command }]);
        else if (known.length < MAX_WRITES_OF_FILE) known.push({ step, command });
      }
    }
  }
  return writes;
});

function targetsOf(command: ShellCommand): string[] {
  const { program, args, redirects } = command;
  const redirected = redirects.flatMap(({ operator, target }) =>
    operator.startsWith('>') && target !== undefined ? [target.value] : [],
  );
  if (program === 'curl' || program === 'wget') {
    const saved = savedFile(command);
    return saved === undefined ? redirected : [saved];
  }
  if (program === 'tee') return [...redirected, ...args.map(({ value }) => value)];
  const operands = program === 'cp' || program === 'mv' ? args.filter(({ value }) => !value.startsWith('-')) : [];
  return operands.length === 2 ? [...redirected, operands[1]?.value ?? ''] : redirected;
}

export function writesTo(path: string, step: Step): readonly FileWrite[] {
  const writes = writesIn(step.parent).get(keyOf(path)) ?? [];
  return writes.filter((write) => write.step.index <= step.index);
}

/** Computed paths are the same file if they are written alike. */
function keyOf(path: string): string {
  return folderAt('', path.replace(/^\$\{?PWD\}?\//, './')) ?? path;
}
