import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';

const MAX_SCRIPT = 20_000;
const MAX_CONDITION = 600;
const MAX_BODY = 4_000;

const LIST_OVER_LINES = /\[\s{0,200}['"`][^\]]{0,2000}\]/g;
const BLOCK_COMMENT = /\/\*(?:[^*]|\*(?!\/)){0,2000}\*\//g;
const DECLARED = /\b(?:const|let|var) (\w{1,60}) ?= ?([^;\n]{1,2000})(?=;|\n(?!\s?[|&?.+])|$)/g;
const SET = /\b(\w{1,60})(?: ?(?:\|\||&&|\?\?|\+)?=(?![=>])|\.(?:push|unshift|splice|add)\()/g;
const ACTS =
  /\b(?:github|octokit)\.|\bexec|\brequire ?\(|\bimport ?\(|\bfetch ?\(|\bcore\.(?:setOutput|exportVariable)\b/;
const LOGIN = /^context\.(?:actor|payload\??\.(?:sender|(?:comment|review)\??\.user)\??\.login)(?:\.toLowerCase\(\))?$/;

/**
 * Tells what the script of a github-script step does, before anything else, for whoever is not on a list that it states:
 * it `fails`, or it `ends` and later steps still run.
 */
export const refusalOfUnlisted = memoByNode((step: Step): 'fails' | 'ends' | undefined => {
  if (actionOf(step)?.slug !== 'actions/github-script') return undefined;
  const script = inputOf(step, 'script')?.value ?? '';
  if (script.length > MAX_SCRIPT || !/\.login\b|\bcontext\.actor\b/.test(script)) return undefined;
  const text = script
    .replace(BLOCK_COMMENT, '')
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(LIST_OVER_LINES, (list) => list.replace(/\n/g, ' '))
    .replace(/[ \t]+/g, ' ');
  const names = constantsIn(text);
  const acts = text.search(ACTS);
  const returns = text.search(/\breturn\b/);
  let depth = 0;
  let after: number | undefined;
  for (const { 0: sign, index } of text.matchAll(/[{}]|\bif ?\(/g)) {
    if (acts !== -1 && index > acts) return undefined;
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (depth > 0 || !sign.startsWith('if')) continue;
    const start = index + sign.length;
    const end = closing(text, start, MAX_CONDITION);
    const isAlone = after === undefined || text.slice(after, index).trim() !== '';
    after = end === undefined ? undefined : end + 1;
    if (!isAlone || DEPENDS.test(text.slice(Math.max(0, index - 6), index))) continue;
    if (end === undefined || !isUnlisted(text.slice(start, end), names)) continue;
    const whole = bodyAt(text, end + 1);
    const later = text.slice(text.indexOf(whole, end) + whole.length);
    const [body = ''] = whole.split(/\bif ?\(/, 1);
    const ends = /\b(?:throw|return)\b/.test(body);
    const fails = /\bthrow\b|\bsetFailed\(/.test(body) && !step.mapping.entries.has('continue-on-error');
    if (fails && (returns === -1 || returns > index) && (ends || !ACTS.test(later))) return 'fails';
    if (ends) return 'ends';
  }
  return undefined;
});

const DEPENDS = /(?:\belse|\)) ?$/;

function constantsIn(text: string): Map<string, string> {
  const times = new Map<string, number>();
  for (const [, name = ''] of text.matchAll(SET)) times.set(name, (times.get(name) ?? 0) + 1);
  const declared = [...text.matchAll(DECLARED)].filter(([, name = '']) => times.get(name) === 1);
  return new Map(declared.map(([, name = '', value = '']) => [name, value.trim()] as const));
}

function closing(text: string, start: number, most: number): number | undefined {
  const limit = Math.min(text.length, start + most);
  for (let at = start, depth = 0; at < limit; at += 1) {
    const sign = text[at] as string;
    if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

function bodyAt(text: string, start: number): string {
  const [opening = ''] = /^\s{0,50}\{?/.exec(text.slice(start, start + 60)) ?? [];
  const from = start + opening.length;
  if (opening.endsWith('{')) return text.slice(from, closing(text, from, MAX_BODY) ?? from);
  const end = text.slice(from, from + MAX_BODY).search(/[;\n]/);
  return end === -1 ? text.slice(from, from + MAX_BODY) : text.slice(from, from + end);
}

type Names = ReadonlyMap<string, string>;

function isUnlisted(condition: string, names: Names): boolean {
  return condition.split('||').some((part) => {
    const text = part.trim();
    return refuses(text, names) || refuses(names.get(text) ?? '', names);
  });
}

function refuses(text: string, names: Names): boolean {
  if (text.startsWith('!')) return isListed(unwrapped(text.slice(1)), names);
  return text.split('&&').every((part) => isOther(part.trim(), names));
}

function isOther(text: string, names: Names): boolean {
  const [left = '', right = '', ...others] = text.split(/!==?/);
  return others.length === 0 && isLogin(left.trim(), names) && QUOTED.test(right.trim());
}

function isListed(text: string, names: Names): boolean {
  const asked = unwrapped(names.get(text) ?? text);
  const [, list = '', member = ''] = /^(.{1,2000})\.(?:includes|has)\(([^()]{1,120}(?:\(\))?)\)$/.exec(asked) ?? [];
  return isList(list, names) && isLogin(member.trim(), names);
}

function isList(text: string, names: Names): boolean {
  const value = names.get(text) ?? text;
  const [, items] = /^(?:new Set\()?\[([^[\]]{1,2000})\]\)?$/.exec(value) ?? [];
  const listed = items?.split(',').map((item) => item.trim()) ?? [];
  const stated = listed.at(-1) === '' ? listed.slice(0, -1) : listed;
  return stated.length > 0 && stated.every((item) => QUOTED.test(item));
}

function isLogin(text: string, names: Names): boolean {
  const value = names.get(text) ?? text;
  return LOGIN.test(value.replace(/^\w{1,60}/, (name) => names.get(name) ?? name));
}

function unwrapped(text: string): string {
  const value = text.trim();
  return value.startsWith('(') && value.endsWith(')') ? value.slice(1, -1).trim() : value;
}

const QUOTED = /^(['"`])[\w-]{1,60}\1$/;
