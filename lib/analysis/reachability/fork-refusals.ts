import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoInRepository } from '../memo.ts';
import { type PlacedStep, withInnerSteps } from './composites.ts';
import { neededJobs, runsAfterFailure } from './outsider-reach.ts';
import { keepsOut, type Refusals, withNeeded } from './permission-outputs.ts';

const EVENTS: ReadonlySet<string> = new Set(['pull_request_target', 'workflow_run']);

/**
 * True if a script before a job or step, also one of a local action or called workflow, compares the head repository of
 * the pull request and fails for a fork, or sets outputs by which a condition skips what follows.
 */
export function refusesForks(node: Job | Step, event: string, repository: Repository): boolean {
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined || !EVENTS.has(event)) return false;
  const outputs = outputsFor(job, repository);
  if (outputs.size > 0 && (keepsOut(node, job, outputs) || keepsOut(job, job, outputs))) return true;
  if (runsAfterFailure(node)) return false;
  if (refusalsOf(job, repository).fails < (node.kind === 'step' ? node.index : job.steps.length)) return true;
  return !runsAfterFailure(job) && neededJobs(job).some((needed) => failsForForks(needed, repository));
}

const outputsFor = memoInRepository((job: Job, repository) =>
  withNeeded(job, (each) => refusalsOf(each, repository).outputs),
);

function failsForForks(job: Job, repository: Repository): boolean {
  const reference = job.uses?.reference;
  const called = reference?.kind === 'local' ? repository.workflowAt(reference.path)?.jobs : undefined;
  return (called ?? [job]).some((each) => refusalsOf(each, repository).fails < each.steps.length);
}

const refusalsOf = memoInRepository((job: Job, repository): { readonly fails: number; readonly outputs: Refusals } => {
  let fails = Number.POSITIVE_INFINITY;
  const outputs = new Map<string, readonly string[]>();
  for (const placed of withInnerSteps(job.steps, repository)) {
    const { step, caller, within } = placed;
    if ([step, within?.step, caller].some((each) => each !== undefined && isOptional(each))) continue;
    for (const body of bodiesForForks(placed)) {
      if (FAILS.test(body)) fails = Math.min(fails, (caller ?? step).index);
      if (caller !== undefined || step.id === undefined || !LEAVES.test(body)) continue;
      for (const [, name, value, printed, text] of body.matchAll(SETS)) {
        outputs.set(`steps.${step.id.value}.outputs.${name ?? printed}`.toLowerCase(), [value ?? text ?? '']);
      }
    }
  }
  return { fails, outputs };
});

function isOptional({ condition, mapping }: Step): boolean {
  return condition !== undefined || mapping.entries.has('continue-on-error');
}

const FAILS = /\bexit\s+[1-9]|\bsetFailed\s*\(|\bthrow\b|\bprocess\.exit\(\s*[1-9]/;
const LEAVES = /\breturn\b|\bexit\b/;
const SETS =
  /\bsetOutput\(\s{0,9}['"]([\w-]{1,60})['"]\s{0,9},\s{0,9}['"]?([\w-]{0,60})|["'\s]([\w-]{1,60})=([\w-]{0,60})["']?\s{0,9}>>/g;

const MAX_SCRIPT = 20_000;
const MAX_TESTS = 50;
const MAX_BLOCK = 3_000;

function bodiesForForks(placed: PlacedStep): string[] {
  const script = inputOf(placed.step, 'script') ?? placed.step.run;
  const text = (script?.value ?? '').slice(0, MAX_SCRIPT).replace(/\\\n/g, ' ');
  if (script === undefined || !(FAILS.test(text) || LEAVES.test(text))) return [];
  const names = headNames(placed, text);
  if (names.size === 0 && !HEAD.test(text)) return [];
  const tests = script === placed.step.run ? shellTests(text) : programTests(text);
  return tests.flatMap(({ test, met, unmet }) => {
    const side = forkSide(test, names);
    const body = side === 'met' ? met : unmet;
    return side === undefined || /\bif\b/.test(body) ? [] : [body];
  });
}

const HEAD = /\bhead\??\.repo(?:sitory)?\b|\bheadRepository(?:Owner)?\b|\bisCrossRepository\b|\bhead_repository\b/;
const HEAD_PATH =
  /^github\.event\.(?:pull_request\.head\.(?:repo\.(?:full_name|fork|owner\.login)|user\.login)|workflow_run\.head_repository\.(?:full_name|fork|owner\.login))$/;

function headNames(placed: PlacedStep, text: string): ReadonlySet<string> {
  const given = (value: Text): Text | undefined => {
    const [, input] = /^\$\{\{\s*inputs\.([\w-]{1,100})\s*\}\}$/.exec(value.value.trim()) ?? [];
    return input === undefined || placed.caller === undefined
      ? value
      : inputOf(placed.within?.step ?? placed.caller, input);
  };
  const names = new Set<string>();
  for (const { name, value } of placed.step.env?.entries ?? []) if (readsHead(given(value))) names.add(name);
  for (const line of text.split('\n')) {
    const [, name] = /^(?:(?:const|let|var|local|export|readonly) )?(\w{1,60}) ?=(?!=)/.exec(line.trim()) ?? [];
    if (name !== undefined && HEAD.test(line)) names.add(name);
  }
  return names;
}

function readsHead(text: Text | undefined): boolean {
  const [expression, ...others] = text === undefined ? [] : expressionsIn(text);
  if (expression?.node === undefined || others.length > 0) return false;
  return accessedPaths(expression.node).some((path) => HEAD_PATH.test(path));
}

interface Test {
  readonly test: string;
  readonly met: string;
  readonly unmet: string;
}

const IF = /^[ \t]{0,40}if ([^\n]{1,500})/gm;
const SHORT = /^[ \t]{0,40}(\[[^\n]{1,300}?\]|test [^\n|&]{1,300}) (&&|\|\|) (\{[^}]{0,500}|[^\n]{0,300})/gm;

function shellTests(text: string): Test[] {
  const long = [...text.matchAll(IF)].slice(0, MAX_TESTS).flatMap(({ 0: head, 1: line = '', index }): Test[] => {
    const [test = '', inline] = line.split(/;[ \t]{0,9}then\b/, 2);
    const rest = `${inline ?? ''}${text.slice(index + head.length, index + head.length + MAX_BLOCK)}`;
    if (inline === undefined && !rest.trimStart().startsWith('then')) return [];
    const [block = ''] = rest.split(/[\n;][ \t]{0,40}fi\b/, 1);
    const [met = '', ...others] = block.split(/\n[ \t]{0,40}(?:else|elif)\b/);
    return [{ test, met, unmet: others.length === 1 ? (others[0] ?? '') : '' }];
  });
  const short = [...text.matchAll(SHORT)].slice(0, MAX_TESTS).map(([, test = '', operator, body = '']) => {
    return operator === '&&' ? { test, met: body, unmet: '' } : { test, met: '', unmet: body };
  });
  return [...long, ...short];
}

function programTests(text: string): Test[] {
  return [...text.matchAll(/\bif\s*\(/g)].slice(0, MAX_TESTS).flatMap(({ 0: head, index }): Test[] => {
    const start = index + head.length;
    const end = closing(text, start, '(', ')');
    if (end === undefined) return [];
    const rest = text.slice(end + 1).trimStart();
    const close = rest.startsWith('{') ? closing(rest, 1, '{', '}') : rest.search(/[;\n]/);
    return [{ test: text.slice(start, end), met: rest.slice(0, close), unmet: '' }];
  });
}

function closing(text: string, from: number, open: string, close: string): number | undefined {
  let depth = 1;
  for (let at = from; at < Math.min(text.length, from + MAX_BLOCK); at += 1) {
    if (text[at] === open) depth += 1;
    else if (text[at] === close) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function forkSide(test: string, names: ReadonlySet<string>): 'met' | 'unmet' | undefined {
  const parts = test.split(/\|\||&&/).map((part) => part.trim());
  const [alternative, joint] = [test.includes('||'), test.includes('&&')];
  if (/^!\s*\[|^!\s*\(/.test(test.trim())) return undefined;
  for (const part of parts) {
    if (!HEAD.test(part) && !(part.match(/\w+/g) ?? []).some((word) => names.has(word))) continue;
    const isFork = saysFork(part);
    const guards = parts.filter((other) => other !== part && /^[\w.?]+$/.test(other)).length;
    if (isFork === true && (!joint || guards === parts.length - 1)) return 'met';
    if (isFork === false && !alternative) return 'unmet';
  }
  return undefined;
}

function saysFork(part: string): boolean | undefined {
  const [, subject = '', operator = '', other = ''] = /^(.{1,300}?)(!==?|={1,3}|-eq|-ne)(.{1,300})$/s.exec(part) ?? [];
  if (operator === '') {
    if (!/\.fork\b|isCrossRepository\b/.test(part)) return undefined;
    return !part.startsWith('!');
  }
  if (/^(?:null|undefined)?$/.test(other.replace(/[\s"'\])]/g, ''))) return undefined;
  const differs = operator.startsWith('!') || operator === '-ne';
  const literal = `${subject} ${other}`.match(/(?<![\w.])["']?(true|false)["']?(?![\w.])/)?.[1];
  if (literal === undefined) return differs;
  return (literal === 'true') !== differs;
}
