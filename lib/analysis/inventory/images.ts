import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { matrixTexts } from '#lib/workflow/expressions/matrix.ts';
import { inputOf, usesOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Action,
  type Definition,
  type Job,
  jobOf,
  type Step,
  sourceOf,
  stepsOf,
  type Text,
} from '#lib/workflow/model/model.ts';
import { type ImageReference, parseImage } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode } from '../memo.ts';

/**
 * `pinAt` is where to insert a digest; undefined if the name is computed or written differently, the file builds an image of
 * that name, or a script needs the tag elsewhere. `sealed`: only `docker run` starts it, without mounts or the job's
 * variables, so it cannot read the job's files or secrets.
 */
export interface UsedImage {
  readonly images: readonly ImageReference[];
  readonly role: 'container' | 'service' | 'step' | 'action' | 'script';
  readonly at: Job | Step | Action;
  readonly span: Span;
  readonly pinAt: Span | undefined;
  readonly sealed?: boolean;
}

export const imagesOf = memoByNode((definition: Definition): readonly UsedImage[] => [...findImages(definition)]);

function* findImages(definition: Definition): Generator<UsedImage> {
  const scripts = readScripts(definition);
  for (const used of declaredImages(definition)) {
    const [image] = used.images;
    yield image !== undefined && scripts.built.has(image.name) ? { ...used, pinAt: undefined } : used;
  }
  yield* scriptImages(definition, scripts);
}

export function imagesToPin({ workflows, actions }: Pick<Repository, 'workflows' | 'actions'>): ImageReference[] {
  const byText = new Map<string, ImageReference>();
  for (const definition of [...workflows, ...actions]) {
    for (const { images, pinAt } of imagesOf(definition)) {
      const [image] = images;
      if (pinAt === undefined || image === undefined || image.digest !== undefined || isLocalImage(image)) continue;
      byText.set(image.text, image);
    }
  }
  return [...byText.values()];
}

export function isLocalImage({ name }: ImageReference): boolean {
  return name === 'scratch' || /^(?:localhost|127\.0\.0\.1)(?:[:/]|$)/.test(name);
}

function* declaredImages(definition: Definition): Generator<UsedImage> {
  if (definition.kind === 'action') {
    const image = definition.image;
    if (image?.value.startsWith('docker://') === true) {
      const images = [parseImage(image.value.slice('docker://'.length))];
      yield { images, role: 'action', at: definition, span: image.span, pinAt: endOf(image) };
    }
  } else {
    for (const job of definition.jobs) yield* jobImages(job);
  }
  for (const { uses, at } of usesOf(definition)) {
    const { text, reference } = uses;
    const pinAt = endOf(text);
    if (reference?.kind === 'docker') {
      yield { images: [reference.image], role: 'step', at, span: text.span, pinAt };
    } else if (at.kind === 'step' && text.value.startsWith('docker://')) {
      const images = told(text.value.slice('docker://'.length), jobOf(at));
      yield { images, role: 'step', at, span: text.span, pinAt };
    }
  }
}

function endOf(text: Text): Span | undefined {
  if (text.value.includes('${{')) return undefined;
  const end = text.value.trimEnd().length;
  return replaceVerbatim(text, end, end, '')?.span;
}

function* jobImages(job: Job): Generator<UsedImage> {
  for (const container of [job.container, ...job.services]) {
    const image = container?.image;
    if (container === undefined || image === undefined) continue;
    const role = container === job.container ? 'container' : 'service';
    const images = choicesOf(image).flatMap((choice) => told(choice, job));
    yield { images, role, at: job, span: image.span, pinAt: endOf(image) };
  }
}

function choicesOf(text: Text): string[] {
  const [expression, ...others] = expressionsIn(text);
  if (expression === undefined || others.length > 0) return [text.value];
  const { range, node } = expression;
  const whole = text.value.slice(0, range.start).trim() === '' && text.value.slice(range.end).trim() === '';
  const results = whole && node !== undefined ? [...literalResults(node)] : [];
  return results.length === 0 ? [text.value] : results;
}

function* literalResults(node: ExpressionNode): Generator<string> {
  if (node.type === 'literal' && typeof node.value === 'string') yield node.value;
  else if (node.type === 'or') for (const arg of node.args) yield* literalResults(arg);
  else if (node.type === 'and') {
    const last = node.args.at(-1);
    if (last !== undefined) yield* literalResults(last);
  }
}

function told(text: string, job: Job | undefined): ImageReference[] {
  return matrixTexts(text.trim().replace(/^docker:\/\//, ''), job)
    .filter((image) => image !== '' && !image.includes('${{'))
    .map(parseImage);
}

interface Scripts {
  readonly used: readonly { image: ImageReference; at: Step; word: ShellWord; command: ShellCommand }[];
  readonly built: ReadonlySet<string>;
  readonly loads: boolean;
}

function readScripts(definition: Definition): Scripts {
  const used: Scripts['used'][number][] = [];
  const built = new Set<string>(['']);
  let loads = false;
  for (const step of stepsOf(definition)) {
    const tags = inputOf(step, 'tags');
    if (tags !== undefined) for (const tag of tags.value.split(/[\s,]+/)) built.add(parseImage(tag).name);
    if (step.run === undefined || !/\b(?:docker|podman|nerdctl|buildah)\b/.test(step.run.value)) continue;
    for (const command of commandsOf(step)) {
      if (!/^(?:docker|podman|nerdctl|buildah)$/.test(command.program)) continue;
      for (const name of builtNames(command)) built.add(name);
      loads ||= command.args.slice(0, 2).some(({ value }) => value === 'load');
      const word = fetchedImage(command);
      if (word?.literal !== true || !/^[a-z0-9][\w./:@-]*$/i.test(word.value)) continue;
      used.push({ image: parseImage(word.value), at: step, word, command });
    }
  }
  return { used, built, loads };
}

function* scriptImages(definition: Definition, { used, built, loads }: Scripts): Generator<UsedImage> {
  if (used.length === 0) return;
  const seen = countsOf(used.map(({ image }) => image.text));
  const allSealed = new Map<string, boolean>();
  for (const { image, word, command } of used) {
    if (!pulls(command)) allSealed.set(image.text, isSealed(command, word) && allSealed.get(image.text) !== false);
  }
  const mentions = countsOf(sourceOf(definition).text.match(/[\w./:@-]+/g) ?? []);
  for (const { image, at, word, command } of used) {
    if (built.has(image.name)) continue;
    // An image pulled by digest has no local tag, so a command that was not parsed would miss it; other programs refuse
    // both.
    const canPin = command.program === 'docker' && !loads && mentions.get(image.text) === seen.get(image.text);
    const pinAt = canPin ? endOfWord(at, word) : undefined;
    const sealed = pulls(command) ? allSealed.get(image.text) !== false : isSealed(command, word);
    yield { images: [image], role: 'script', at, span: word.span, pinAt, sealed };
  }
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function endOfWord({ run }: Step, { span, text, value }: ShellWord): Span | undefined {
  if (run === undefined || run.node.shared || run.node.origin.slice(span.start, span.end) !== text) return undefined;
  if (text === value) return { start: span.end, end: span.end };
  const end = span.end - 1;
  return /^(["']).*\1$/.test(text) && text.slice(1, -1) === value ? { start: end, end } : undefined;
}

const HANDS_OVER =
  /^(?:-[a-zA-Z]*[ev]|--(?:env|env-file|volume|volumes-from|mount|device|privileged|pid|ipc|cap-add|security-opt)(?:=|$)|--net(?:work)?=host$)/;

function pulls({ args }: ShellCommand): boolean {
  return args[args[0]?.value === 'image' ? 1 : 0]?.value === 'pull';
}

function isSealed({ args }: ShellCommand, image: ShellWord): boolean {
  const options = args.slice(0, args.indexOf(image)).map(({ value }) => value);
  const handsOver = options.some(
    (option, index) => HANDS_OVER.test(option) && !setsConstant(option, options[index + 1]),
  );
  return options[0] === 'run' && !options.includes('host') && !handsOver;
}

function setsConstant(option: string, next = ''): boolean {
  const [, set = next] = /^(?:-e|--env=?)(.+)?$/.exec(option) ?? [undefined, ''];
  return /^\w+=[^$`]*$/.test(set);
}

function* builtNames({ args }: ShellCommand): Generator<string> {
  const verbs = args.map(({ value }) => value);
  if (verbs[0] === 'tag' || verbs[0] === 'import' || verbs[0] === 'commit') yield parseImage(verbs.at(-1) ?? '').name;
  if (!verbs.includes('build') && verbs[0] !== 'bud') return;
  for (const [index, value] of verbs.entries()) {
    if (value === '-t' || value === '--tag') yield parseImage(verbs[index + 1] ?? '').name;
    else if (value.startsWith('--tag=')) yield parseImage(value.slice('--tag='.length)).name;
  }
}

const SWITCHES: ReadonlySet<string> = new Set([
  '--detach',
  '--disable-content-trust',
  '--help',
  '--init',
  '--interactive',
  '--no-healthcheck',
  '--oom-kill-disable',
  '--privileged',
  '--publish-all',
  '--quiet',
  '--read-only',
  '--rm',
  '--sig-proxy',
  '--tty',
  '--all-tags',
]);

function fetchedImage({ args }: ShellCommand): ShellWord | undefined {
  const start = args[0]?.value === 'container' || args[0]?.value === 'image' ? 1 : 0;
  if (!/^(?:run|create|pull)$/.test(args[start]?.value ?? '')) return undefined;
  for (let index = start + 1; index < args.length; index += 1) {
    const word = args[index] as ShellWord;
    if (!word.value.startsWith('-')) return word;
    if (word.value.includes('=') || SWITCHES.has(word.value)) continue;
    const short = /^-([ditqP]*)([a-zA-Z]?)([\s\S]*)/.exec(word.value);
    // `-it` takes no value, `-v` takes the next word, `-eNAME` contains its value.
    if (!word.value.startsWith('--') && short !== null && (short[2] === '' || short[3] !== '')) continue;
    index += 1;
  }
  return undefined;
}
