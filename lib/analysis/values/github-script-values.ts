import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { filesBehind, statementAt } from '#lib/workflow/shell/line-values.ts';

export type ScriptValue = {
  readonly inside?: string;
} & (
  | { readonly kind: 'event'; readonly path: readonly string[] }
  | { readonly kind: 'lookup'; readonly field?: string }
  | { readonly kind: 'printed'; readonly verb: string }
);

const MAX_LINES = 500;
const MAX_LINE = 500;

export function scriptValues(step: Step, name: string): ScriptValue[] {
  const script = inputOf(step, 'script')?.value ?? '';
  if (!/payload|\bgithub\.|octokit|\bgit\b/.test(script)) return [];
  const lines = script
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line.length <= MAX_LINE && !line.startsWith('//'));
  const values = lines.map((line) => valueFor(line, name)).filter((value) => value !== undefined);
  if (values.length === 0) return [];
  const variables = variablesIn(lines);
  return values.flatMap((value): ScriptValue[] => {
    if (answerIn(value, variables)) return [{ kind: 'lookup' }];
    const members = membersOf(value, lines);
    if (members.length === 0) return [resolve(value, variables, script) ?? []].flat();
    return members.flatMap(([member, text]) => {
      const found = resolve(text, variables, script);
      return found === undefined ? [] : [{ ...found, inside: member }];
    });
  });
}

function membersOf(value: string, lines: readonly string[]): readonly (readonly [string, string])[] {
  const [, first] = /^(?:JSON\.stringify\()?\{(.*)$/.exec(value.trim()) ?? [];
  if (first === undefined) return [];
  const start = lines.findIndex((line) => line.endsWith(value));
  const end = lines.findIndex((line, index) => index >= start && line.includes('}'));
  if (start === -1 || end === -1) return [];
  const inner = start === end ? [first] : [first, ...lines.slice(start + 1, end)];
  return inner
    .flatMap((line) => line.split(','))
    .flatMap((part) => {
      const [, name, text] = /^[\s'"]*(\w+)['"]?\s*:\s*([^}]+)/.exec(part) ?? [];
      return name === undefined || text === undefined ? [] : [[name.toLowerCase(), text] as const];
    });
}

const LOOKS_UP_ONE =
  /\b(?:pulls\.(?:get|list|listFiles)|issues\.(?:get|listForRepo|listComments))\(|\brequest\(\s*['"`]GET [^'"`]{0,200}\/(?:pulls|issues)\b/;

function answerIn(value: string, variables: ReadonlyMap<string, string>): boolean {
  const [, name = ''] =
    /^(?:JSON\.stringify\()?(\w+)(?:\.data)?(?:\[0\])?(?:,\s*null,\s*\d)?[\s);]*$/.exec(value.trim()) ?? [];
  return LOOKS_UP_ONE.test(variables.get(name) ?? '');
}

export function filesReadByScript(step: Step, name: string): readonly string[] {
  const script = actionOf(step)?.slug === 'actions/github-script' ? (inputOf(step, 'script')?.value ?? '') : '';
  if (!/readFile|readJson|require/.test(script)) return [];
  const lines = script.split('\n', MAX_LINES).map((line) => line.trim());
  const filesOf = filesBehind(script);
  return lines.flatMap((line, index) =>
    line.length > MAX_LINE || line.startsWith('//') || valueFor(line, name) === undefined
      ? []
      : filesOf(statementAt(lines, index)),
  );
}

function valueFor(line: string, name: string): string | undefined {
  const [, output, value] = /\bsetOutput\(\s*['"`]([\w-]+)['"`]\s*,(.*)/.exec(line) ?? [];
  if (output !== undefined && (name === '*' || output.toLowerCase() === name)) return value;
  const [, returned] = name === 'result' ? (/^return\s+(\S.*)/.exec(line) ?? []) : [];
  return returned;
}

function variablesIn(lines: readonly string[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const line of lines.map(withMembers)) {
    const [, name, value] = /^(?:const|let|var)\s+(\w+)\s*=\s*(\S.*)/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, value);
    const [, data, answer] = /^(?:const|let|var)\s+\{\s*data(?:\s*:\s*(\w+))?\s*\}\s*=\s*(await\s.*)/.exec(line) ?? [];
    if (answer !== undefined) variables.set(data ?? 'data', answer);
    const [, open, names = '', from] =
      /^(?:const|let|var)\s+([{[])([^}\]]*)[}\]]\s*=\s*(?!await\b)([a-zA-Z_][\w.]*)(?![\w.(])/.exec(line) ?? [];
    for (const [index, name] of (from === undefined ? [] : names.split(',')).entries()) {
      const [first = '', second = first] = name.split(':').map((part) => part.trim());
      const [key, as] = open === '[' ? [`${index}`, first] : [first, second];
      if (/^\w+$/.test(key) && /^\w+$/.test(as)) variables.set(as, `${from}.${key}`);
    }
  }
  return variables;
}

const DECIDES = /[=!]==?|[<>?](?![.])|\.(?:includes|startsWith|endsWith|test|match|matchAll|some|every|length)\b/;
const CONVERTS = /\b(?:parseInt|Number|Boolean|parseFloat|encodeURIComponent|JSON\.stringify)\s*\(|\.replace\(\/\[\^/;

const FIXED_FIELD =
  /\.(?:number|id|node_id|run_id|run_number|run_attempt|sha|head_sha|merge_commit_sha)(?:\.toString)?$/;

const OF_ANY_SHAPE = /\b(?:inputs|client_payload)\b/;

const LOOKS_UP = /\b(?:pulls|issues|repos)\.(?:get|list)\w*\(|\bgraphql\(/;

const RUNS_GIT =
  /\b(?:exec|execSync|execFileSync|spawnSync|getExecOutput)\(\s*['"`]git['"`]?(?:\s|,|\[){1,5}['"`]?(diff|ls-files|ls-tree|log|show)\b/;

const MAX_ALIASES = 6;
const PATH = /^[\w.]+;?$/;

function withMembers(code: string): string {
  return code
    .replaceAll('?.', '.')
    .replace(
      /(?<=[\w)\]])\.?\[(?:(\d+)|(["'])(\w+)\2)\]/g,
      (_, index?: string, __?: string, key?: string) => `.${index ?? key}`,
    );
}

function resolve(value: string, variables: ReadonlyMap<string, string>, script: string): ScriptValue | undefined {
  let text = withMembers(value);
  let fields = '';
  for (let depth = 0; depth < MAX_ALIASES; depth += 1) {
    const [, verb] = RUNS_GIT.exec(text) ?? [];
    if (verb !== undefined && !/--(?:quiet|shortstat|count)\b|%[hHct]/.test(text)) return { kind: 'printed', verb };
    if (DECIDES.test(text) || CONVERTS.test(text)) return undefined;
    const [, path] = /\bcontext\.payload((?:\.\w+)+)/.exec(text) ?? [];
    if (path !== undefined) {
      return FIXED_FIELD.test(fields) && !OF_ANY_SHAPE.test(path)
        ? undefined
        : { kind: 'event', path: ['github', 'event', ...fieldsOf(path)] };
    }
    const [, name = '', rest = ''] =
      /^(?:\s*(?:await|String)\b)?[\s`"'${(]*([a-zA-Z_]\w*)((?:\.\w+)*)/.exec(text) ?? [];
    const [, field] = /\.(title|body|head\.ref|head\.label|headRefName)\b/.exec(rest) ?? [];
    const known = variables.get(name);
    if (known === undefined || known === text) {
      return field !== undefined && name !== 'context' && LOOKS_UP.test(script) ? { kind: 'lookup', field } : undefined;
    }
    if (field !== undefined && LOOKS_UP.test(known)) return { kind: 'lookup', field };
    fields = `${rest}${fields}`;
    text = PATH.test(known) ? `${known.replace(';', '')}${rest}` : known;
  }
  return undefined;
}

function fieldsOf(path: string): string[] {
  const methods = new Set([
    'trim',
    'replace',
    'replaceAll',
    'split',
    'slice',
    'substring',
    'toLowerCase',
    'toUpperCase',
  ]);
  const names = path.split('.').filter((field) => field !== '');
  const end = names.findIndex((field) => methods.has(field));
  const fields = names.map((field) => (/^\d+$/.test(field) ? '*' : field.toLowerCase()));
  return end === -1 ? fields : fields.slice(0, end);
}
