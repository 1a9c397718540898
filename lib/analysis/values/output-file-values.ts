import type { Step } from '#lib/workflow/model/model.ts';
import { type CommandFileWrite, commandFileWrites, type WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { memoByNode } from '../memo.ts';

export interface NamedWrite {
  readonly write: CommandFileWrite;
  readonly words: readonly WrittenWord[];
}

const writesByStep = memoByNode((_step: Step) => new Map<string, readonly NamedWrite[]>());

/** Returns the writes of a step's script that set a name, in lower case; `*` for any name. */
export function writesOfName(step: Step, file: 'output' | 'env', name: string): readonly NamedWrite[] {
  const known = writesByStep(step);
  const key = `${file} ${name}`;
  let writes = known.get(key);
  if (writes === undefined) {
    const never = PLAIN_NAME.test(name) && !namesWritten(step)[file].has(name);
    known.set(key, (writes = never ? (file === 'output' ? namelessWrites(step) : []) : findWrites(step, file, name)));
  }
  return writes;
}

export const namesWritten = memoByNode((step: Step): Readonly<Record<'output' | 'env', ReadonlySet<string>>> => {
  const names = { output: new Set<string>(), env: new Set<string>() };
  for (const write of commandFileWrites(step)) {
    if (write.file !== 'output' && write.file !== 'env') continue;
    for (const name of namesIn(write)) names[write.file].add(name);
  }
  return names;
});

export function namesIn(write: CommandFileWrite): string[] {
  return printedWords(write).flatMap(({ value }) => value.toLowerCase().match(WRITTEN_NAME) ?? []);
}

const WRITTEN_NAME = /(?<![\w${-])[\w-]+(?==|<<)/g;
const PLAIN_NAME = /^[\w-]+$/;

const namelessWrites = memoByNode((step: Step): readonly NamedWrite[] => {
  const writes = commandFileWrites(step).filter(({ file }) => file === 'output');
  if (writes.some((write) => printedWords(write).some(({ value }) => value.includes('<<')))) return [];
  return writes.flatMap((write) => {
    const printed = printedWords(write);
    const named = printed.some(({ value }) => value.search(WRITTEN_NAME) !== -1);
    const passesOn = write.pipeline.length > 0 && write.pipeline.every(({ program }) => PRINTS_LINES.has(program));
    return named || !passesOn ? [] : [{ write, words: write.words.length > 0 ? write.words : printed }];
  });
});

const PRINTS_LINES: ReadonlySet<string> = new Set(['cat', 'echo', 'grep', 'jq', 'printf', 'sed', 'tee', 'tr']);

function findWrites(step: Step, file: 'output' | 'env', name: string): NamedWrite[] {
  const found: NamedWrite[] = [];
  let mark: string | undefined;
  for (const write of commandFileWrites(step)) {
    if (write.file !== file) continue;
    const inside = mark !== undefined;
    if (inside && write.words.some(({ value }) => value.trim() === mark)) {
      mark = undefined;
      continue;
    }
    const opened = write.words.map(({ value }) => markOf(value, name)).find((delimiter) => delimiter !== undefined);
    if (opened !== undefined) mark = opened === '' ? undefined : opened;
    const words = inside ? write.words : wordsThatSet(write, printedWords(write), name);
    if (words.length > 0) found.push({ write, words });
  }
  return found;
}

function markOf(text: string, name: string): string | undefined {
  const lower = text.toLowerCase();
  const at = lower.startsWith(`${name}<<`) ? 0 : lower.indexOf(`\n${name}<<`);
  if (at === -1) return undefined;
  const [line = '', ...rest] = text
    .slice(at)
    .trimStart()
    .slice(name.length + 2)
    .split('\n');
  return rest.some((other) => other.trim() !== '') ? '' : line.trim();
}

function printedWords({ words, pipeline }: CommandFileWrite): readonly WrittenWord[] {
  const upstream = pipeline.slice(0, -1).filter(({ program }) => program === 'echo' || program === 'printf');
  return upstream.length === 0 ? words : [...words, ...upstream.flatMap(({ args }) => args)];
}

function wordsThatSet(
  { pipeline }: CommandFileWrite,
  words: readonly WrittenWord[],
  name: string,
): readonly WrittenWord[] {
  if (name === '*') return words;
  const matching = words.filter(({ value }) => sets(value, name));
  const apart =
    pipeline.some(({ program }) => program === 'printf') || matching.some(({ value }) => /=\s*$/.test(value));
  return matching.length > 0 && apart ? words : matching;
}

function sets(text: string, name: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(name); at !== -1; at = lower.indexOf(name, at + 1)) {
    const before = lower[at - 1] ?? ' ';
    const after = lower.slice(at + name.length, at + name.length + 2);
    if (!/[\w-]/.test(before) && (after.startsWith('=') || after === '<<')) return true;
  }
  return false;
}
