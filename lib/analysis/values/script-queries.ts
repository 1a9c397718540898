import type { ShellCommand } from '#lib/workflow/shell/shell.ts';

export interface Query {
  readonly source: string;
  readonly multiline: boolean;
  readonly ref: boolean;
  readonly whole?: true;
  /** Set for a command of git, which prints what outsiders wrote if it is about a pull request. */
  readonly git?: ShellCommand;
}

export function queryOf(command: ShellCommand): Query | undefined {
  if (command.program === 'git') return gitQuery(command);
  const words = command.args.map(({ value }) => value);
  const text = words.join(' ');
  if ((command.program === 'curl' || command.program === 'wget') && HOST_API.test(text)) return wholeAnswer('the API');
  if (!/^gh(?:_\w{1,40})?$/.test(command.program)) return undefined;
  const filter = optionOf(words, '--jq', '-q', '--template', '-t');
  if (words[0] === 'pr' && words[1] === 'diff')
    return { source: 'the output of gh pr diff', multiline: true, ref: false };
  const about =
    (words[0] === 'pr' || words[0] === 'issue') && (words[1] === 'view' || words[1] === 'list')
      ? `gh ${words[0]} ${words[1]}`
      : words[0] === 'api' && (words[1] === 'graphql' || /\/(?:pulls|issues|comments|commits)\b/.test(text))
        ? 'gh api'
        : undefined;
  if (about === undefined) return undefined;
  if (filter !== undefined) return answerOf(`the output of ${about}`, filter);
  if (about === 'gh api') return wholeAnswer(about);
  return TEXT_FIELD.test(optionOf(words, '--json') ?? '') ? wholeAnswer(about) : undefined;
}

const TEXT_FIELD = /\b(?:title|body|comments|commits|files|headRefName|reviews)\b/;

/** Returns what the filters of jq in a pipeline take from answers; nothing of those that are harmless then. */
export function queriesBehind(queries: readonly Query[], pipeline: readonly ShellCommand[]): ReadonlyMap<Query, Query> {
  const whole = queries.filter((query) => query.whole === true);
  const filters =
    whole.length === 0
      ? []
      : pipeline.flatMap((command) => (command.program === 'jq' ? (filterOf(command) ?? []) : []));
  if (filters.every((filter) => filter.split('|', MAX_PARTS).every((part) => KEEPS_ITEMS.test(part.trim())))) {
    const kept = pipeline.every(({ program }) => PRINTS_WHOLE.has(program));
    return new Map(queries.flatMap((query) => (query.whole === true && !kept ? [] : [[query, query] as const])));
  }
  const taken = answerOf('', filters.join(' | '));
  return new Map(
    queries.flatMap((query): (readonly [Query, Query])[] => {
      if (query.whole !== true) return [[query, query]];
      return taken === undefined ? [] : [[query, { ...taken, source: query.source }]];
    }),
  );
}

const MAX_PARTS = 20;
const KEEPS_ITEMS = /^(?:\.|\.\[[\d:]{0,20}\]|add|flatten|reverse|unique|(?:sort|unique)_by\([^()]{0,100}\))$/;

const PRINTS_WHOLE: ReadonlySet<string> = new Set(['cat', 'curl', 'echo', 'gh', 'jq', 'printf', 'tee', 'tr', 'wget']);

export function fieldsBehind(pipeline: readonly ShellCommand[]): readonly string[] | undefined {
  const filters = pipeline.flatMap((command) => (command.program === 'jq' ? (filterOf(command) ?? []) : []));
  return filters.length === 1 ? fieldsTaken(filters[0] as string) : undefined;
}

const OPTION_OF_JQ = /^--(?:arg|argjson|slurpfile|rawfile)$/;

function filterOf({ args }: ShellCommand): string | undefined {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]?.value ?? '';
    if (!word.startsWith('-')) return word;
    index += OPTION_OF_JQ.test(word) ? 2 : /^(?:--indent|-L)$/.test(word) ? 1 : 0;
  }
  return undefined;
}

const HOST_API =
  /(?:api\.github\.com|GITHUB_API_URL\}?|github\.api_url\s{0,3}\}\})\/repos\/\S{0,300}\/(?:pulls|issues|comments|commits)\b/;

function wholeAnswer(about: string): Query {
  return { source: `the output of ${about}`, multiline: false, ref: false, whole: true };
}

function answerOf(source: string, filter: string): Query | undefined {
  if (NUMBERED.test(filter) || /\blength\b|@json|@base64|tojson|\btest\(|\bany\b|\ball\b/.test(filter))
    return undefined;
  if (/\.(?:body|message|patch|messageBody|bodyText)\b/.test(filter)) return { source, multiline: true, ref: false };
  if (/\.(?:filename|path)\b/.test(filter)) return { source, multiline: true, ref: false };
  if (/\.title\b/.test(filter)) return { source, multiline: false, ref: false };
  return /\.(?:headRefName|head\.ref|label)\b/.test(filter) ? { source, multiline: false, ref: true } : undefined;
}

const NUMBERED =
  /(?:^|[|[(])\s{0,9}(?:\$\w+)?(?:\.\w+|\.?\[\d*\]){0,6}\.(?:number|id|databaseId|node_id|run_id|run_number|run_attempt|sha|head_sha|merge_commit_sha|oid|headRefOid|baseRefOid)\s{0,9}[\])]{0,3}(?:\s{0,9}(?:\|\s{0,9})?(?:\.\[\d+\]|first|last|@tsv|@csv|unique|sort)){0,3}\s{0,9}$/;

const EVENT_FILE = /^(?:\$\{?GITHUB_EVENT_PATH\}?|\$\{\{\s*github\.event_path\s*\}\})$/;

export function payloadPathsOf(command: ShellCommand): (readonly string[])[] {
  const { program, args, pipeline, redirects } = command;
  if (program !== 'jq') return [];
  const words = [
    ...args,
    ...redirects.flatMap(({ operator, target }) => (operator === '<' && target !== undefined ? [target] : [])),
    ...(pipeline[0]?.program === 'cat' ? pipeline[0].args : []),
  ].map(({ value }) => value);
  if (!words.some((word) => EVENT_FILE.test(word))) return [];
  return (fieldsTaken(filterOf(command) ?? '') ?? []).map((fields) => ['github', 'event', ...fields.split('.')]);
}

const MAX_FILTER = 1_000;
const DECIDES =
  /\b(?:all|any|contains|endswith|has|index|inside|length|startswith|test|tojson|tonumber)\b|[=!]=|[<>]|@(?:base64|json|sh|uri)\b|\bg?sub\(\s{0,5}"\[\^/;
const PURE_PATH = /^(?:\.?\[(?:\d{1,9}|"\w{1,60}")?\]|\.\w{1,60})+\??$/;
const PATH_IN_TEXT = /(?<![\w)\]$])\.\w{1,60}(?:\.\w{1,60}|\[\d{0,9}\])*/g;

/** Returns the paths that a filter of jq takes; undefined for all, none for numbers and decisions. */
export function fieldsTaken(filter: string): readonly string[] | undefined {
  if (filter.length > MAX_FILTER) return undefined;
  const text = filter.toLowerCase().replace(/\bselect\([^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,3}\)/g, '.');
  if (DECIDES.test(text)) return [];
  let prefix = '';
  for (const part of text.split('|').map((each) => each.trim())) {
    if (PURE_PATH.test(part)) prefix = below(prefix, part);
    else if (part.startsWith('to_entries')) break;
    else {
      const found = [...part.matchAll(PATH_IN_TEXT)].map(([path]) => below(prefix, path));
      if (found.length > 0) return found;
    }
  }
  return prefix === '' ? undefined : [prefix];
}

function below(prefix: string, path: string): string {
  const names = path.matchAll(/\[(?:(\d+)|"(\w+)")?\]|\.(\w+)/g);
  const fields = [...names].map(([, index, quoted, name]) => name ?? quoted ?? index ?? '*');
  return [...(prefix === '' ? [] : [prefix]), ...fields].join('.');
}

const COUNTS = /^(?:--quiet|-q|--exit-code|--shortstat|--check|--count)$/;
const AUTHORED = /%(?:s|b|B|f|N|an|ae|al|aN|aE|cn|ce|d|D|S)/;

function gitQuery(command: ShellCommand): Query | undefined {
  const { verb, rest } = gitVerb(command);
  if (rest.some((word) => COUNTS.test(word))) return undefined;
  const prints = (what: string): Query => ({
    source: `the ${what} that git ${verb} prints`,
    multiline: true,
    ref: false,
    git: command,
  });
  switch (verb) {
    case 'diff':
    case 'diff-tree':
    case 'ls-files':
    case 'ls-tree':
      return prints(rest.some((word) => /^(?:-p|-u|--patch)$/.test(word)) ? 'text' : 'file names');
    case 'log':
    case 'show':
    case 'shortlog': {
      const at = rest.findIndex((word) => /^--(?:format|pretty)(?:=|$)/.test(word));
      const format = at === -1 ? undefined : (rest[at] as string);
      if (format === undefined) return prints('text');
      const text = format.includes('=') ? format : (rest[at + 1] ?? '');
      const names = rest.some((word) => /^--(?:name-only|name-status|stat|numstat)$/.test(word));
      return text.includes('%') && !AUTHORED.test(text) && !names ? undefined : prints('text');
    }
    default:
      return undefined;
  }
}

function gitVerb({ args }: ShellCommand): { readonly verb: string; readonly rest: readonly string[] } {
  const words = args.map(({ value }) => value);
  let index = 0;
  while (words[index]?.startsWith('-') === true) index += /^-[cC]$/.test(words[index] as string) ? 2 : 1;
  return { verb: words[index] ?? '', rest: words.slice(index + 1) };
}

function optionOf(words: readonly string[], ...names: readonly string[]): string | undefined {
  const index = words.findIndex((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  if (index === -1) return undefined;
  const word = words[index] as string;
  return word.startsWith('--') && word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
}
