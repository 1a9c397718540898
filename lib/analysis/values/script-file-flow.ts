const MAX_ASSIGNMENTS = 300;
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
 * Tells whether the text of a file may flow into an output of a script in JavaScript. What only decides about an answer
 * of the code host, by comparison or as an argument of the request, does not flow.
 */
export function mayHoldFileText(script: string, output: string): boolean {
  const text = script
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(/\s{0,200}\n[ \t]{0,200}(?=[.?:&|+])/g, '')
    .replace(/[ \t]+/g, ' ');
  if (text.length > MAX_SCRIPT || SETS_OTHERWISE.test(text)) return true;
  const given = valuesGiven(text, output);
  const set = [...text.matchAll(ASSIGNMENT)];
  if (given === undefined || set.length > MAX_ASSIGNMENTS) return true;
  const assignments = set.map(([all, pattern, name, each, called], index) => {
    const start = (set[index]?.index ?? 0) + all.length;
    return { names: wordsIn(pattern ?? name ?? each ?? called ?? ''), value: valueAt(text, start), called };
  });
  const declared = new Set(
    assignments
      .filter(({ value, called }) => called !== undefined || /=>|\bfunction\b/.test(value))
      .flatMap(({ names }) => names),
  );
  const calls = [...text.matchAll(CALL)].slice(0, MAX_ASSIGNMENTS).map(({ 0: all, 1: root = '', index }) => ({
    root,
    value: valueAt(text, index + all.length),
  }));
  const arrows = [...text.matchAll(ARROW)].slice(0, MAX_ASSIGNMENTS).map(({ 1: several, 2: one, index }) => ({
    names: wordsIn(several ?? one ?? ''),
    value: text.slice(Math.max(text.lastIndexOf('\n', index) + 1, index - MAX_VALUE), index),
  }));
  const tainted = new Set([...text.matchAll(CATCH)].map(([, name = '']) => name));
  for (let round = 0, before = -1; round < MAX_ROUNDS && tainted.size > before; round += 1) {
    before = tainted.size;
    for (const { names, value } of [...assignments, ...arrows]) {
      if (holds(value, tainted)) for (const name of names) tainted.add(name);
    }
    for (const { root, value } of calls) {
      if (HARMLESS_ROOT.test(root) || !holds(value, tainted)) continue;
      if (declared.has(root)) return true;
      tainted.add(root);
    }
  }
  return given.some((value) => holds(value, tainted));
}

function valuesGiven(text: string, output: string): string[] | undefined {
  const set = [...text.matchAll(/\bsetOutput\( ?(?:(['"`])([\w-]{1,100})\1 ?,)?/g)];
  if (set.some(([, , name]) => name === undefined)) return undefined;
  const named = set.filter(([, , name]) => output === '*' || name?.toLowerCase() === output);
  const returned = output === 'result' ? [...text.matchAll(/\breturn (?=\S)/g)] : [];
  return [...named, ...returned]
    .slice(0, MAX_ASSIGNMENTS)
    .map(({ 0: all, index }) => valueAt(text, index + all.length));
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

/** Returns the expression that begins here, up to the end of its statement or of what encloses it. */
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
