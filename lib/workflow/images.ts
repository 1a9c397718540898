import { inputOf, usesOf } from './actions.ts';
import { type ExpressionNode, expressionsIn } from './expression.ts';
import { matrixTexts } from './matrix.ts';
import { type Action, type Definition, type Job, jobOf, type Step, stepsOf, type Text } from './model.ts';
import { type ImageReference, parseImage } from './reference.ts';
import { commandsOf, type ShellCommand, type ShellWord } from './shell.ts';
import type { Span } from './source.ts';

/** A container image that a run fetches from a registry. */
export interface UsedImage {
  /** With each value of a literal matrix; images that cannot be told are left out. */
  readonly images: readonly ImageReference[];
  readonly role: 'container' | 'service' | 'step' | 'action' | 'script';
  readonly at: Job | Step | Action;
  readonly span: Span;
  /** `docker run` that is handed neither variables nor folders of the machine: all it sees is what it brings. */
  readonly sealed?: boolean;
}

export function* imagesOf(definition: Definition): Generator<UsedImage> {
  if (definition.kind === 'action') {
    const image = definition.image;
    if (image?.value.startsWith('docker://') === true) {
      const images = [parseImage(image.value.slice('docker://'.length))];
      yield { images, role: 'action', at: definition, span: image.span };
    }
  } else {
    for (const job of definition.jobs) yield* jobImages(job);
  }
  for (const { uses, at } of usesOf(definition)) {
    if (uses.reference?.kind === 'docker') {
      yield { images: [uses.reference.image], role: 'step', at, span: uses.text.span };
    } else if (at.kind === 'step' && uses.text.value.startsWith('docker://')) {
      yield {
        images: told(uses.text.value.slice('docker://'.length), jobOf(at)),
        role: 'step',
        at,
        span: uses.text.span,
      };
    }
  }
  yield* scriptImages(definition);
}

function* jobImages(job: Job): Generator<UsedImage> {
  for (const container of [job.container, ...job.services]) {
    const image = container?.image;
    if (container === undefined || image === undefined) continue;
    const role = container === job.container ? 'container' : 'service';
    yield { images: choicesOf(image).flatMap((choice) => told(choice, job)), role, at: job, span: image.span };
  }
}

/** The texts that a value may be: the literal results of one expression (`cond && 'a:1' || 'b:2'`), or itself. */
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

/** Images that `docker run`, `create` and `pull` name literally, less those that the same file builds or loads. */
function* scriptImages(definition: Definition): Generator<UsedImage> {
  const used: { image: ImageReference; at: Step; span: Span; sealed: boolean }[] = [];
  const built = new Set<string>();
  for (const step of stepsOf(definition)) {
    for (const line of (inputOf(step, 'tags')?.value ?? '').split(/[\s,]+/)) built.add(parseImage(line).name);
    if (step.run === undefined || !/\b(?:docker|podman|nerdctl|buildah)\b/.test(step.run.value)) continue;
    for (const command of commandsOf(step)) {
      if (!/^(?:docker|podman|nerdctl|buildah)$/.test(command.program)) continue;
      for (const name of builtNames(command)) built.add(name);
      const word = fetchedImage(command);
      if (word?.literal !== true || !/^[a-z0-9][\w./:@-]*$/i.test(word.value)) continue;
      used.push({ image: parseImage(word.value), at: step, span: word.span, sealed: isSealed(command, word) });
    }
  }
  for (const { image, at, span, sealed } of used) {
    if (!built.has(image.name)) yield { images: [image], role: 'script', at, span, sealed };
  }
}

const HANDS_OVER =
  /^(?:-[a-zA-Z]*[ev]|--(?:env|env-file|volume|volumes-from|mount|device|privileged|pid|ipc|cap-add|security-opt)(?:=|$)|--net(?:work)?=host$)/;

function isSealed({ args }: ShellCommand, image: ShellWord): boolean {
  const options = args.slice(0, args.indexOf(image)).map(({ value }) => value);
  return options[0] === 'run' && !options.includes('host') && !options.some((option) => HANDS_OVER.test(option));
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

/** Options of `docker run` that take no value; all others do. */
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
    const short = /^-([ditqP]*)([a-zA-Z]?)(.*)$/.exec(word.value);
    // `-it` takes nothing, `-v` the next word, `-eNAME` has its value with it.
    if (!word.value.startsWith('--') && short !== null && (short[2] === '' || short[3] !== '')) continue;
    index += 1;
  }
  return undefined;
}
