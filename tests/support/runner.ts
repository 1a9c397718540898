/**
 * The two parsers by which the Actions runner finds commands in a step's log, and what it ignores between
 * `stop-commands` and its token: https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */

export interface RunnerCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

const REGISTERED: ReadonlySet<string> = new Set([
  ...['stop-commands', 'internal-set-repo-path', 'set-env', 'set-output', 'save-state', 'add-mask', 'add-path'],
  ...['add-matcher', 'remove-matcher', 'debug', 'warning', 'error', 'notice', 'group', 'endgroup', 'echo'],
]);

export function commandsIn(log: string, { anyName = false } = {}): RunnerCommand[] {
  const executed: RunnerCommand[] = [];
  let token: string | undefined;
  const isRegistered = (name: string): boolean =>
    anyName || REGISTERED.has(name.toLowerCase()) || name.toLowerCase() === token?.toLowerCase();
  for (const line of log.split(/\r\n|\r|\n/)) {
    const command = parseV2(line, isRegistered) ?? parseV1(line, isRegistered);
    if (command === undefined) continue;
    const name = command.name.toLowerCase();
    if (token !== undefined) {
      if (name === token.toLowerCase()) token = undefined;
      continue;
    }
    if (name === 'stop-commands') token = command.data;
    executed.push(command);
  }
  return executed;
}

/** `TryParseV2`: `::name key=value,key=value::data`, after leading white space. */
function parseV2(line: string, isRegistered: (name: string) => boolean): RunnerCommand | undefined {
  const message = line.replace(/^[\s\u0085]+/, '');
  if (!message.startsWith('::')) return undefined;
  const end = message.indexOf('::', 2);
  if (end < 0) return undefined;
  const unescape = (text: string): string => unescapeAll(text, { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',' });
  const head = headOf(message.slice(2, end), ',', unescape);
  if (!isRegistered(head.name)) return undefined;
  return { ...head, data: unescapeAll(message.slice(end + 2), { '%0D': '\r', '%0A': '\n' }) };
}

/** `TryParse`: `##[name key=value;key=value]data`, anywhere. */
function parseV1(line: string, isRegistered: (name: string) => boolean): RunnerCommand | undefined {
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return undefined;
  const unescape = (text: string): string => unescapeAll(text, { '%3B': ';', '%0D': '\r', '%0A': '\n', '%5D': ']' });
  const head = headOf(line.slice(start + 3, end), ';', unescape);
  return isRegistered(head.name) ? { ...head, data: unescape(line.slice(end + 1)) } : undefined;
}

function headOf(
  info: string,
  separator: string,
  unescape: (text: string) => string,
): Pick<RunnerCommand, 'name' | 'properties'> {
  const space = info.indexOf(' ');
  if (space < 0) return { name: info, properties: {} };
  const pairs = info
    .slice(space + 1)
    .trim()
    .split(separator)
    .flatMap((pair) => {
      const [, key, value] = /^=*([^=]+)=(.+)$/.exec(pair) ?? [];
      return key === undefined || value === undefined ? [] : [[key, unescape(value)]];
    });
  return { name: info.slice(0, space), properties: Object.fromEntries(pairs) };
}

function unescapeAll(text: string, mappings: Readonly<Record<string, string>>): string {
  let rest = text;
  for (const [escape, character] of Object.entries({ ...mappings, '%25': '%' })) {
    rest = rest.replaceAll(escape, character);
  }
  return rest;
}
