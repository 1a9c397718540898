import { inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';

const MAX_EACH = 300;
const MAX_VALUE = 600;
const MAX_ROUNDS = 5;
const MAX_SCRIPT = 20_000;

const READS = /\breadFile|\brequire\s?\(\s?['"`]\.{0,2}\/|\bexec|\bspawn/;
const REQUEST = /\b(?:github|octokit)\.(?:graphql|paginate|request|rest)\b[\w.]{0,100}\(/;
const ASSIGNMENT =
  /(?:(\{[^{}=]{1,200}\}|\[[^[\]=]{1,200}\])|\b(\w{1,60})(?:\.\w{1,60}|\[[^\]\n]{1,60}\]){0,4}) ?(?:\?\?|\|\||&&|\+)?=(?![=>])|\b(?:const|let|var) ([^=;\n]{1,100}?) (?:of|in) |\bfunction ?\*? ?(\w{1,60}) ?\(/g;
const CALL = /\b(\w{1,60})(?:\.\w{1,60}){0,4}\(/g;
const ARROW = /(?:\(([^()=]{1,100})\)|\b(\w{1,60})) ?=>/g;
const CATCH = /\bcatch ?\((\w{1,60})\)/g;
const COMPARED =
  /[=!]==? ?\w{1,60}\b(?![.([`])|(?<![\w.])\w{1,60} ?[=!]==?|\.(?:endsWith|has|includes|indexOf|startsWith|test)\(\w{1,60}\)/g;
const SETS_OTHERWISE = /GITHUB_OUTPUT|\bsetOutput\b(?! ?\()|\bcore\b(?! ?[.?])/;
const HARMLESS_ROOT = /^(?:catch|console|core|for|fs|github|if|Number|octokit|parseInt|path|return|switch|while)$/;

/**
 * Tells whether the text of a file may reach an output of a github-script step. Text that is only compared, or only sent
 * in a request to the code host, does not reach it.
 */
export function mayHoldFileText(step: Step, output: string): boolean {
  const flow = flowIn(step);
  const given = flow === undefined ? undefined : valuesGiven(flow.text, output);
  return flow === undefined || given === undefined || given.some((value) => holds(value, flow.tainted));
}

interface Flow {
  readonly text: string;
  readonly tainted: ReadonlySet<string>;
}

const flowIn = memoByNode((step: Step): Flow | undefined => {
  const script = inputOf(step, 'script')?.value ?? '';
  if (script.length > MAX_SCRIPT || SETS_OTHERWISE.test(script)) return undefined;
  const text = script
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(/\s{0,200}\n[ \t]{0,200}(?=[.?:&|+])/g, '')
    .replace(/[ \t]+/g, ' ');
  const set = [...text.matchAll(ASSIGNMENT)];
  const called = [...text.matchAll(CALL)];
  const passing = [...text.matchAll(ARROW)];
  if ([set, called, passing].some(({ length }) => length > MAX_EACH)) return undefined;
  const assignments = set.map(({ 0: all, 1: pattern, 2: name, 3: each, 4: named, index }) => {
    const value = valueAt(text, index + all.length);
    const isFunction = named !== undefined || /=>|\bfunction\b/.test(value);
    return { names: wordsIn(pattern ?? name ?? each ?? named ?? ''), value, isFunction };
  });
  const functions = new Set(assignments.flatMap(({ names, isFunction }) => (isFunction ? names : [])));
  const calls = called.map(({ 0: all, 1: root = '', index }) => ({ root, value: valueAt(text, index + all.length) }));
  const arrows = passing.map(({ 1: several, 2: one, index }) => {
    const start = Math.max(text.lastIndexOf('\n', index) + 1, index - MAX_VALUE);
    return { names: wordsIn(several ?? one ?? ''), value: text.slice(start, index) };
  });
  const tainted = new Set([...text.matchAll(CATCH)].map(([, name = '']) => name));
  for (let round = 0, before = -1; tainted.size > before; round += 1) {
    if (round >= MAX_ROUNDS) return undefined;
    before = tainted.size;
    for (const { names, value } of [...assignments, ...arrows]) {
      if (holds(value, tainted)) for (const name of names) tainted.add(name);
    }
    for (const { root, value } of calls) {
      if (HARMLESS_ROOT.test(root) || !holds(value, tainted)) continue;
      if (functions.has(root)) return undefined;
      tainted.add(root);
    }
  }
  return { text, tainted };
});

function valuesGiven(text: string, output: string): string[] | undefined {
  const set = [...text.matchAll(/\bsetOutput\( ?(?:(['"`])([\w-]{1,100})\1 ?,)?/g)];
  if (set.some(([, , name]) => name === undefined)) return undefined;
  const named = set.filter(([, , name]) => output === '*' || name?.toLowerCase() === output);
  const returned = output === 'result' ? [...text.matchAll(/\breturn (?=\S)/g)] : [];
  return [...named, ...returned].map(({ 0: all, index }) => valueAt(text, index + all.length));
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\w+/g) ?? [];
}

function holds(value: string, tainted: ReadonlySet<string>): boolean {
  if (value.length >= MAX_VALUE) return true;
  const rest = withoutRequests(value).replace(COMPARED, '');
  return READS.test(rest) || wordsIn(rest).some((word) => tainted.has(word));
}

function withoutRequests(value: string): string {
  const found = REQUEST.exec(value);
  if (found === null) return value;
  const end = found.index + found[0].length;
  return value.slice(0, found.index) + value.slice(end + valueAt(value, end).length);
}

function valueAt(text: string, start: number): string {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const sign = text[at] as string;
    if (sign === "'" || sign === '"' || sign === '`') {
      const end = text.indexOf(sign, at + 1);
      if (end === -1 || end >= limit) return text.slice(start, limit);
      at = end;
    } else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) {
      depth -= 1;
      if (depth < 0) return text.slice(start, at);
    } else if (
      depth === 0 &&
      (sign === ';' || (sign === '\n' && !/[=,(&|+?:>]$/.test(text.slice(Math.max(start, at - 20), at).trimEnd())))
    ) {
      if (text.slice(start, at).trim() !== '') return text.slice(start, at);
    }
  }
  return text.slice(start, limit);
}
