const ASSIGNED = /^(?:(?:const|let|var) )?(\w{1,60}) ?=(?!=)/;
const FIELDS = /^(?:const|let|var) ?\{([^}]{1,200})\} ?= ?(context\.payload[\w.?]{0,200})/;
const MAX_KNOWN = 100;
const MAX_READ = 50_000;
const MAX_LINE = 2_000;
const MAX_JOINED = 10_000;
const READS = /context\.payload|process\.env|environ|getenv/;
const PAYLOAD_OBJECT = 'context.payload';
const EVENT_FILE = /\bGITHUB_EVENT_PATH\b/;
const OPENED = /\bopen\(.{1,200}\bas (\w{1,60})\s?:/;
const PARSES = /\b(?:json\.loads?|JSON\.parse|require|import)\s?\(/;
const CONVERTS =
  /\b(?:parseInt|Number|Boolean|encodeURIComponent|JSON\.stringify|quote|int|len)\s*\(|[=!]==?|\.(?:includes|startsWith|endsWith|test|match|length)\b/;

/** Returns what the variables of a script in JavaScript or Python were set to from its environment or the payload. */
export function valuesIn(script: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const readsFile = EVENT_FILE.test(script);
  for (const each of script.slice(0, MAX_READ).split(/[\n;]/)) {
    const statement = each.trim().slice(0, MAX_LINE);
    if (values.size >= MAX_KNOWN || !(readsFile || READS.test(statement))) continue;
    const full = readsFile ? withValues(statement, values) : statement;
    const [, opened] = (readsFile && EVENT_FILE.test(full) ? OPENED.exec(statement) : null) ?? [];
    if (opened !== undefined) values.set(opened, 'GITHUB_EVENT_PATH');
    const [start, name] = ASSIGNED.exec(statement) ?? [];
    const value = start === undefined ? '' : statement.slice(start.length);
    if (name !== undefined && EVENT_FILE.test(full) && PARSES.test(value)) values.set(name, PAYLOAD_OBJECT);
    else if (name !== undefined && READS.test(full) && !CONVERTS.test(value))
      values.set(name, full.slice(start?.length, MAX_LINE));
    const [, fields = '', from = ''] = FIELDS.exec(statement) ?? [];
    for (const field of fields.split(',').slice(0, MAX_KNOWN)) {
      const [key = '', as = key] = field.split(':').map((part) => part.trim());
      if (/^\w+$/.test(key)) values.set(as, `${from}.${key}`);
    }
  }
  return values;
}

export function withValues(line: string, values: ReadonlyMap<string, string>): string {
  if (values.size === 0) return line;
  const used = new Set([...line.matchAll(/(?<![.\w'"])\w{1,60}/g)].flatMap(([word]) => values.get(word) ?? []));
  const fields = [...line.matchAll(FIELD)].flatMap(([, name = '', path = '']) =>
    values.get(name) === PAYLOAD_OBJECT
      ? [PAYLOAD_OBJECT, ...[...path.matchAll(KEY)].map(([, quoted, plain]) => quoted ?? plain)].join('.')
      : [],
  );
  return [line.slice(0, MAX_JOINED), ...fields, ...used].join(' ').slice(0, MAX_JOINED);
}

const FIELD =
  /(?<![.\w'"])(\w{1,60})((?:\[['"]\w{1,60}['"]\]|\.get\(['"]\w{1,60}['"](?:, ?(?:''|""|None|\{\}))?\)|\??\.(?!get\b)\w{1,60}(?!\w|\())+)/g;
const KEY = /['"](\w+)['"]|\.(\w+)(?!\w|\()/g;

/** Returns the fields of the event that a line of github-script reads, as lower-case paths. */
export function payloadPathsIn(line: string): (readonly string[])[] {
  return [...line.matchAll(PAYLOAD)].map(([, path = '']) => [
    'github',
    'event',
    ...path.toLowerCase().replaceAll('?', '').slice(1).split('.'),
  ]);
}

const MAX_FILES = 20;
const READS_FILE =
  /\b(?:readFile(?:Sync)?|readJson(?:Sync)?|open|Path)\(\s?(?:path\.join\([^()\n]{0,100},\s?)?['"`]([^'"`\n]{1,200})['"`]|\brequire\(\s?['"`]([^'"`\n]{1,200}\.json)['"`]/g;
const HANDLE = /\bas (\w{1,60})\s?:/;
const NAMES = /^(?:const|let|var) ?\{([^}]{1,200})\} ?=/;

/** Returns a function that tells which files a text of a script in JavaScript or Python has read. */
export function filesBehind(script: string): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  const behind = (text: string): string[] => {
    const direct = [...text.matchAll(READS_FILE)].map(([, path, json]) => path ?? json ?? '');
    const used = [...text.matchAll(/(?<![.\w'"])\w{1,60}/g)].flatMap(([name]) => known.get(name) ?? []);
    return [...new Set([...direct, ...used])].slice(0, MAX_FILES);
  };
  for (const each of script.slice(0, MAX_READ).split(/[\n;]/)) {
    const statement = each.trim().slice(0, MAX_LINE);
    const [fields, list] = NAMES.exec(statement) ?? [];
    const [start, name] = ASSIGNED.exec(statement) ?? [];
    const [, handle] = HANDLE.exec(statement) ?? [];
    const names = list?.split(',').map((field) => field.split(':').at(-1)?.trim() ?? '') ?? [name ?? handle ?? ''];
    const files = names[0] === '' ? [] : behind(statement.slice((fields ?? start)?.length ?? 0));
    for (const each of files.length === 0 ? [] : names) if (known.size < MAX_KNOWN) known.set(each, files);
  }
  return behind;
}

const MAX_CONTINUED = 20;

export function statementAt(lines: readonly string[], index: number): string {
  let depth = 0;
  for (let end = index; end < Math.min(lines.length, index + MAX_CONTINUED); end += 1) {
    for (const character of lines[end]?.slice(0, MAX_LINE) ?? '') {
      if ('([{'.includes(character)) depth += 1;
      else if (')]}'.includes(character)) depth -= 1;
    }
    if (depth <= 0) return lines.slice(index, end + 1).join('\n');
  }
  return lines[index] ?? '';
}

const PAYLOAD = /\bcontext\.payload((?:\??\.\w+)+)/g;
