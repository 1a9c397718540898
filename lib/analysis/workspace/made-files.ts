import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { isWithin } from '#lib/workflow/shell/working-directory.ts';
import { locationOf } from '../checkouts/locations.ts';
import type { ForeignDownload } from '../checkouts/run-artifacts.ts';

export function* commandsAfter({ step: origin, span }: ForeignDownload, step: Step): Generator<ShellCommand> {
  for (const command of commandsOf(step)) if (step !== origin || command.span.start > span.start) yield command;
}

/** True for a file that the job itself puts in place after the download: it fetches, writes or generates it. */
export function isMadeByJob(target: string, download: ForeignDownload, before: ShellCommand, at: Step): boolean {
  const wanted = locationOf(target);
  return wanted !== undefined && madeBefore(download, at, before).some((made) => isWithin(wanted, made));
}

export function madeFolders(download: ForeignDownload, step: Step): string[] {
  return madeBefore(download, step, undefined).filter((made) => !made.startsWith('/'));
}

/** Returns the files and folders that the job made between the download and a command, or the end of a step. */
function madeBefore(download: ForeignDownload, at: Step, before: ShellCommand | undefined): string[] {
  return at.parent.steps.slice(download.step.index, at.index + 1).flatMap((step) =>
    [...commandsAfter(download, step)]
      .filter(({ span }) => step !== at || before === undefined || span.start < before.span.start)
      .flatMap(madeBy)
      .flatMap((path) => locationOf(path) || []),
  );
}

function madeBy({ program, args, redirects }: ShellCommand): readonly string[] {
  const words = args.map(({ value }) => value);
  const written = redirects.flatMap(({ operator, target }) => (operator === '>' && target ? [target.value] : []));
  if (program === 'curl' || program === 'wget') {
    return [...written, ...words.filter((_, index) => SAVES_AS.test(words[index - 1] ?? ''))];
  }
  const environment = program === 'virtualenv' || words[program === 'uv' ? 0 : 1] === 'venv';
  return environment
    ? [
        ...written,
        ...words
          .slice(1)
          .filter((word) => /^[\w.]/.test(word))
          .slice(-1),
      ]
    : written;
}

const SAVES_AS = /^(?:-o|--output|-O|--output-document)$/;
