const ASSIGNED = /^(?:(?:const|let|var) )?(\w{1,60}) ?=(?!=)/;
const FIELDS = /^(?:const|let|var) ?\{([^}]{1,200})\} ?= ?(context\.payload[\w.?]{0,200})/;
const MAX_KNOWN = 100;
const MAX_READ = 50_000;
const MAX_LINE = 2_000;
const READS = /context\.payload|process\.env|environ|getenv/;
const CONVERTS =
  /\b(?:parseInt|Number|Boolean|encodeURIComponent|JSON\.stringify|quote|int|len)\s*\(|[=!]==?|\.(?:includes|startsWith|endsWith|test|match|length)\b/;

/** Returns what the variables of a script in JavaScript or Python were set to from its environment or the payload. */
export function valuesIn(script: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const each of script.slice(0, MAX_READ).split('\n')) {
    const statement = each.trim().slice(0, MAX_LINE);
    if (values.size >= MAX_KNOWN || !READS.test(statement)) continue;
    const [start, name] = ASSIGNED.exec(statement) ?? [];
    const value = start === undefined ? '' : statement.slice(start.length);
    if (name !== undefined && !CONVERTS.test(value)) values.set(name, value);
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
  return [line, ...used].join(' ');
}

/** Returns the fields of the event that a line of github-script reads, as lower-case paths. */
export function payloadPathsIn(line: string): (readonly string[])[] {
  return [...line.matchAll(PAYLOAD)].map(([, path = '']) => [
    'github',
    'event',
    ...path.toLowerCase().replaceAll('?', '').slice(1).split('.'),
  ]);
}

const PAYLOAD = /\bcontext\.payload((?:\??\.\w+)+)/g;
