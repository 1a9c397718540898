import type { Step } from '#lib/workflow/model/model.ts';
import { type CommandFileWrite, commandFileWrites, type WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { type ScriptSource, sourcesOfWrite } from './value-sources.ts';

/** What a step's script gives a name in the file of outputs or variables; `*` for any name. */
export function sourcesOfName(step: Step, file: 'output' | 'env', name: string): ScriptSource[] {
  const sources: ScriptSource[] = [];
  let mark: string | undefined;
  for (const write of commandFileWrites(step)) {
    if (write.file !== file) continue;
    const inside = mark !== undefined;
    if (inside && write.words.some(({ value }) => value.trim() === mark)) {
      mark = undefined;
      continue;
    }
    const opened = write.words.map(({ value }) => markOf(value, name)).find((found) => found !== undefined);
    if (opened !== undefined) mark = opened === '' ? undefined : opened;
    const words = inside ? write.words : wordsThatSet(write, name);
    if (words.length > 0) sources.push(...sourcesOfWrite(write, step, words));
  }
  return sources;
}

/** The mark after `name<<`; empty when the text goes on behind it, as a here-document's body does. */
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

function wordsThatSet({ words, pipeline }: CommandFileWrite, name: string): readonly WrittenWord[] {
  if (name === '*') return words;
  const matching = words.filter(({ value }) => sets(value, name));
  // `printf 'name=%s\n' "$VALUE"`, `echo name= "$VALUE"`
  const apart = pipeline.at(-1)?.program === 'printf' || matching.some(({ value }) => /=\s*$/.test(value));
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
