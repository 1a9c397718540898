import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoInRepository } from '../memo.ts';
import { type PlacedStep, withInnerSteps } from './composites.ts';
import { neededJobs, requiredJobs, runsAfterFailure } from './needed-jobs.ts';
import { keepsOut, passedOn, type Refusals, withPassedOn } from './permission-outputs.ts';

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
  const { fails } = refusalsOf(job, repository);
  if (node.kind === 'job' ? fails < job.steps.length : fails < node.index && !runsAfterFailure(node)) return true;
  return needsRefusal(job, repository);
}

const needsRefusal = memoInRepository((job: Job, repository): boolean =>
  requiredJobs(job).some((each) => failsForForks(each, repository)),
);

const outputsFor = memoInRepository((job: Job, repository) =>
  withPassedOn(
    refusalsOf(job, repository).outputs,
    neededJobs(job).map((each) => passedOnBy(each, repository)),
  ),
);

const passedOnBy = memoInRepository((job: Job, repository) => passedOn(job, refusalsOf(job, repository).outputs));

const failsForForks = memoInRepository((job: Job, repository): boolean => {
  const reference = job.uses?.reference;
  const called = reference?.kind === 'local' ? repository.workflowAt(reference.path) : undefined;
  return called === undefined ? refusalsOf(job, repository).fails < job.steps.length : endsForForks(called, repository);
});

const endsForForks = memoInRepository(({ jobs }: Workflow, repository): boolean =>
  jobs.some((job) => !isOptional(job) && refusalsOf(job, repository).fails < job.steps.length),
);

const refusalsOf = memoInRepository((job: Job, repository): { readonly fails: number; readonly outputs: Refusals } => {
  let fails = Number.POSITIVE_INFINITY;
  const outputs = new Map<string, readonly string[]>();
  for (const placed of withInnerSteps(job.steps, repository)) {
    const { step, caller, within } = placed;
    if ([step, within?.step, caller].some((each) => each !== undefined && isOptional(each))) continue;
    for (const body of bodiesForForks(placed)) {
      if (FAILS.test(body)) fails = Math.min(fails, (caller ?? step).index);
      if (caller !== undefined || step.id === undefined || !LEAVES.test(body)) continue;
      for (const [, name, quoted, plain, printed, text] of body.matchAll(SETS)) {
        const path = `steps.${step.id.value}.outputs.${name ?? printed}`.toLowerCase();
        outputs.set(path, [quoted ?? plain ?? text ?? '']);
      }
    }
  }
  return { fails, outputs };
});

function isOptional({ condition, mapping }: Job | Step): boolean {
  return condition !== undefined || mapping.entries.has('continue-on-error');
}

const FAILS = /\bexit\s+[1-9]|\bsetFailed\s*\(|\bthrow\b|\bprocess\.exit\(\s*[1-9]/;
const LEAVES = /\breturn\b|\bexit\b/;
const SETS =
  /\bsetOutput\(\s{0,9}['"]([\w-]{1,60})['"]\s{0,9},\s{0,9}(?:['"]([\w-]{0,60})['"]|(true|false)\b)|["'\s]([\w-]{1,60})=([\w-]{0,60})["']?\s{0,9}>>/g;

const MAX_SCRIPT = 20_000;
const MAX_TESTS = 50;
const MAX_BLOCK = 3_000;

function bodiesForForks(placed: PlacedStep): string[] {
  const script = inputOf(placed.step, 'script') ?? placed.step.run;
  const text = withoutComments((script?.value ?? '').slice(0, MAX_SCRIPT).replace(/\\\n/g, ' '), placed.step);
  if (script === undefined || !(FAILS.test(text) || LEAVES.test(text))) return [];
  const named = namesIn(placed, text);
  if (named.heads.size === 0 && !HEAD.test(text)) return [];
  const tests = script === placed.step.run ? shellTests(text) : programTests(text);
  return tests.flatMap(({ test, met, unmet }) => {
    const side = forkSide(test, named);
    const body = side === 'met' ? met : unmet;
    return side === undefined || /\bif\b/.test(body) ? [] : [body];
  });
}

const COMMENT = /(?:^|[ \t;])#[^\n]*/gm;
const COMMENT_OF_PROGRAM = /(?:^|[ \t{;])\/\/[^\n]*|^[ \t]*\/?\*[^\n]*/gm;

export function withoutComments(text: string, { run }: Step): string {
  return text.replace(run === undefined ? COMMENT_OF_PROGRAM : COMMENT, '');
}

const HEAD = /\bhead\??\.repo(?:sitory)?\b|\bheadRepository(?:Owner)?\b|\bisCrossRepository\b|\bhead_repository\b/;
const HEAD_PATH =
  /^github\.event\.(?:pull_request\.head\.(?:repo\.(?:full_name|fork|owner\.login)|user\.login)|workflow_run\.head_repository\.(?:full_name|fork|owner\.login))$/;

const PERSON = /actor|author|sender|\buser\b/i;
const SAME_IN_FORKS = /repo(?:sitory)?\??\.(?:name|default_branch)\b/i;

interface Named {
  readonly heads: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
}

function namesIn(placed: PlacedStep, text: string): Named {
  const given = (value: Text): Text | undefined => {
    const [, input] = /^\$\{\{\s*inputs\.([\w-]{1,100})\s*\}\}$/.exec(value.value.trim()) ?? [];
    return input === undefined || placed.caller === undefined
      ? value
      : inputOf(placed.within?.step ?? placed.caller, input);
  };
  const [heads, people] = [new Set<string>(), new Set<string>()];
  for (const { name, value } of placed.step.env?.entries ?? []) {
    const own = given(value);
    if (readsHead(own)) heads.add(name);
    else if (PERSON.test(own?.value ?? '')) people.add(name);
  }
  for (const line of text.split('\n')) {
    const [, name] = /^(?:(?:const|let|var|local|export|readonly) )?(\w{1,60}) ?=(?!=)/.exec(line.trim()) ?? [];
    if (name === undefined) continue;
    if (isHead(line)) heads.add(name);
    else if (PERSON.test(line)) people.add(name);
  }
  return { heads, people };
}

function isHead(text: string): boolean {
  return HEAD.test(text) && !SAME_IN_FORKS.test(text);
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
const SHELL_BLOCK = /(?:^|[\n;])[ \t]{0,40}(?:(?:if|case|for|while|until) |(fi|esac|done)\b)/g;

function shellTests(text: string): Test[] {
  const long = outermost(IF, text, SHELL_BLOCK).flatMap(({ 0: head, 1: line = '', index }): Test[] => {
    const [test = '', inline] = line.split(/;[ \t]{0,9}then\b/, 2);
    const rest = `${inline ?? ''}${text.slice(index + head.length, index + head.length + MAX_BLOCK)}`;
    if (inline === undefined && !rest.trimStart().startsWith('then')) return [];
    const [block = ''] = rest.split(/[\n;][ \t]{0,40}fi\b/, 1);
    const [met = '', ...others] = block.split(/\n[ \t]{0,40}(?:else|elif)\b/);
    return [{ test, met, unmet: others.length === 1 ? (others[0] ?? '') : '' }];
  });
  const short = outermost(SHORT, text, SHELL_BLOCK).map(([, test = '', operator, body = '']) => {
    return operator === '&&' ? { test, met: body, unmet: '' } : { test, met: '', unmet: body };
  });
  return [...long, ...short];
}

function outermost(tests: RegExp, text: string, brackets: RegExp): RegExpExecArray[] {
  const found = [...text.matchAll(brackets)];
  let [passed, depth] = [0, 0];
  return [...text.matchAll(tests)].slice(0, MAX_TESTS).filter(({ index }) => {
    for (let next = found[passed]; next !== undefined && next.index + next[0].length <= index; next = found[passed]) {
      depth += next[1] === undefined ? 1 : -1;
      passed += 1;
    }
    return depth <= 0;
  });
}

function programTests(text: string): Test[] {
  return outermost(/\bif\s*\(/g, text, /\{|(\})/g).flatMap(({ 0: head, index }): Test[] => {
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

function forkSide(test: string, named: Named): 'met' | 'unmet' | undefined {
  const parts = test.split(/\|\||&&/).map((part) => part.trim());
  const [alternative, joint] = [test.includes('||'), test.includes('&&')];
  if (/^!\s*\[|^!\s*\(/.test(test.trim())) return undefined;
  const tests = new Set(parts.filter((part) => !/^[\w.?]+$/.test(part)));
  for (const part of parts) {
    const isFork = saysFork(part, named);
    if (isFork === true && (!joint || tests.size === (tests.has(part) ? 1 : 0))) return 'met';
    if (isFork === false && !alternative) return 'unmet';
  }
  return undefined;
}

function saysFork(part: string, { heads, people }: Named): boolean | undefined {
  const names = (text: string, known: ReadonlySet<string>): boolean =>
    (text.match(/\w+/g) ?? []).some((word) => known.has(word));
  const isOfHead = (text: string): boolean => !SAME_IN_FORKS.test(text) && (HEAD.test(text) || names(text, heads));
  if (!isOfHead(part)) return undefined;
  const [, subject = '', operator = '', other = ''] = /^(.{1,300}?)(!==?|={1,3}|-eq|-ne)(.{1,300})$/s.exec(part) ?? [];
  if (operator === '') {
    if (!/\.fork\b|isCrossRepository\b/.test(part)) return undefined;
    return !part.startsWith('!');
  }
  if (/^(?:null|undefined)?$/.test(other.replace(/[\s"'\])]/g, ''))) return undefined;
  const differs = operator.startsWith('!') || operator === '-ne';
  const literal = `${subject} ${other}`.match(/(?<![\w.])["']?(true|false)["']?(?![\w.])/)?.[1];
  const base = [subject, other].find((side) => !isOfHead(side)) ?? 'author';
  if (PERSON.test(base) || names(base, people)) return undefined;
  if (literal === undefined) return differs;
  return (literal === 'true') !== differs;
}
