import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { locationOf } from '../checkouts/locations.ts';
import type { ForeignDownload } from '../checkouts/run-artifacts.ts';
import { memoByNode } from '../memo.ts';

export function* commandsAfter({ step: origin, span }: ForeignDownload, step: Step): Generator<ShellCommand> {
  for (const command of commandsOf(step)) if (step !== origin || command.span.start > span.start) yield command;
}

export function isMadeByJob(target: string, download: ForeignDownload, before: ShellCommand, at: Step): boolean {
  const wanted = locationOf(target);
  if (wanted === undefined) return false;
  const made = madeIn(at.parent);
  const parts = wanted.split('/').slice(0, MAX_PARTS);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))].some((path) =>
    made
      .get(path)
      ?.some(
        ({ step, start }) =>
          isAfter(download, step, start) && (step.index < at.index || (step === at && start < before.span.start)),
      ),
  );
}

export function madeFolders(download: ForeignDownload, at: Step): string[] {
  const folders: string[] = [];
  for (const [path, places] of madeIn(at.parent)) {
    if (folders.length >= MAX_FOLDERS) break;
    if (path.startsWith('/')) continue;
    if (places.some(({ step, start }) => step.index <= at.index && isAfter(download, step, start))) folders.push(path);
  }
  return folders;
}

function isAfter({ step: origin, span }: ForeignDownload, step: Step, start: number): boolean {
  if (step.parent !== origin.parent) return true;
  return step.index > origin.index || (step === origin && start > span.start);
}

interface Place {
  readonly step: Step;
  readonly start: number;
}

const MAX_PARTS = 20;
const MAX_MADE = 500;
const MAX_FOLDERS = 50;
const MAX_PLACES = 20;

const madeIn = memoByNode(({ steps }: Step['parent']): ReadonlyMap<string, readonly Place[]> => {
  const made = new Map<string, Place[]>();
  for (const step of steps) {
    for (const command of commandsOf(step)) {
      for (const path of madeBy(command)) {
        const location = locationOf(path);
        if (location === undefined) continue;
        const places = made.get(location);
        if (places === undefined && made.size < MAX_MADE) made.set(location, [{ step, start: command.span.start }]);
        else if (places !== undefined && places.length < MAX_PLACES) places.push({ step, start: command.span.start });
      }
    }
  }
  return made;
});

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
