import type { Expression } from '../expressions/expression.ts';
import type { Span } from '../text/source.ts';
import type { CommandFile, CommandFileWrite } from './command-file-write.ts';
import { filesBehind, payloadPathsIn, statementAt, valuesIn, withValues } from './line-values.ts';

const MAX_LINES = 2_000;
const MAX_LINE = 2_000;
const MENTION = /GITHUB_(ENV|PATH|OUTPUT|STATE)\b/;
const OPENED = /(?:^|\s)(\w{1,60})\s?=\s?(?:open\(|process\.env\.|process\.env\[|os\.)|\bas\s(\w{1,60})\s?:/;
const WRITES = /\b(?:write|writelines|print|appendFile|appendFileSync|writeFile|writeFileSync|puts)\s?\(/;
const HANDLE =
  /(?<![\w.])(\w{1,60})\.(?:write|writelines)\(|\bfile\s?=\s?(\w{1,60})|(?:File|FileSync)\(\s?(\w{1,60})\s?,/;
const TOOLKIT = /\bcore\.(exportVariable|addPath)\(\s?(?:['"`]([\w.-]{1,100})['"`]\s?,)?/;
const READ = /environ(?:\.get\(|\[)\s?['"](\w+)|getenv\(\s?['"](\w+)|process\.env\.(\w+)|process\.env\[\s?['"](\w+)/g;
const CONVERTED = /\b(?:parseInt|Number|int|len)\s?\(|\.length\b/;

const LOADS =
  /^(?:BASH_ENV|ENV|GIT_\w*|LD_\w+|DYLD_\w+|NODE_\w+|npm_\w+|PATH|PERL5\w*|PYTHON\w*|RUBY\w*|JAVA_TOOL_OPTIONS)$/i;

interface Program {
  readonly text: string;
  readonly expressions: readonly Expression[];
  readonly spanOf: (start: number, end: number) => Span;
}

/** Finds writes to command files in Python and JavaScript, which are not parsed: line by line. */
export function programWrites({ text, expressions, spanOf }: Program): CommandFileWrite[] {
  if (!MENTION.test(text) && !/\bcore\.(?:exportVariable|addPath)\(/.test(text)) return [];
  const writes: CommandFileWrite[] = [];
  const handles = new Map<string, CommandFile>();
  const values = valuesIn(text);
  const filesOf = filesBehind(text);
  const lines = text.split('\n', MAX_LINES);
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim();
    const from = start + line.length - line.trimStart().length;
    const lineStart = start;
    const end = start + line.trimEnd().length;
    start += line.length + 1;
    if (trimmed === '' || trimmed.length > MAX_LINE || /^(?:#|\/\/|\*)/.test(trimmed)) continue;
    const named = MENTION.exec(trimmed)?.[1]?.toLowerCase() as CommandFile | undefined;
    const [, assigned, bound] = (named === undefined ? undefined : OPENED.exec(trimmed)) ?? [];
    if (named !== undefined)
      for (const handle of [assigned, bound]) if (handle !== undefined) handles.set(handle, named);
    const [, method, variable] = TOOLKIT.exec(trimmed) ?? [];
    const [, ...used] = HANDLE.exec(trimmed) ?? [];
    const through = used.map((handle) => handles.get(handle ?? '')).find((file) => file !== undefined);
    const direct = WRITES.test(trimmed) || /\.write\(/.test(trimmed) ? (named ?? through) : undefined;
    const file = method === undefined ? direct : method === 'addPath' ? 'path' : 'env';
    if (file === undefined || CONVERTED.test(trimmed)) continue;
    const statement = statementAt(lines, index);
    const statementEnd = lineStart + statement.length;
    const [, ...more] = statement.split('\n');
    const written = [trimmed, ...more.filter((each) => !CONVERTED.test(each))].join('\n').slice(0, MAX_LINE);
    const full = withValues(written, values);
    const variables = [...full.matchAll(READ)]
      .map(([, ...names]) => names.find((name) => name !== undefined) as string)
      .filter((name) => !/^GITHUB_(?:ENV|PATH|OUTPUT|STATE)$/.test(name));
    const span = spanOf(from, end);
    const inside = expressions.filter(
      (expression) => expression.range.start >= from && expression.range.end <= statementEnd,
    );
    writes.push({
      file,
      span,
      words: [
        {
          text: written,
          value: written,
          variables,
          expressions: inside,
          span,
          payloads: payloadPathsIn(full),
          files: filesOf(written),
        },
      ],
      pipeline: [],
      // The toolkit encloses values in a delimiter of its own.
      randomDelimiter: method === 'exportVariable' && variable !== undefined && !LOADS.test(variable),
    });
  }
  return writes;
}
