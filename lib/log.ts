/** Fields of a log line: facts about the call, never bodies, file contents or credentials. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  with(fields: LogFields): Log;
}

type Level = 'info' | 'warn' | 'error';

const MAX_TEXT_LENGTH = 2_000;
const MAX_CAUSES = 5;

const SECRETS: readonly RegExp[] = [
  /\b(?:gh[pousr]|github_pat)_[A-Za-z0-9._]{10,}/g,
  /\beyJ[\w-]{5,}(?:\.[\w-]+){0,2}/g,
  /\bsb_(?:secret|publishable)_[\w-]+/g,
  /\bBearer\s+\S+/gi,
  /\bhttps:\/\/hooks\.[\w.-]+\/\S+/g,
  /(?<=:\/\/)[^\s/@][^\s/@:]*:[^\s/@]+(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
];

/** Creates a log of one JSON object per line. Messages are constant; variable parts are fields. */
export function createLog(write: (line: string) => void, fields: LogFields = {}): Log {
  const at =
    (level: Level) =>
    (message: string, more: LogFields = {}) => {
      write(`${toLine({ time: new Date().toISOString(), level, message, ...fields, ...more })}\n`);
    };
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (more) => createLog(write, { ...fields, ...more }),
  };
}

export const log: Log = createLog((line) => process.stdout.write(line));

function toLine(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) => {
      if (value instanceof Error) return describeError(value, 0);
      if (typeof value === 'bigint') return value.toString();
      return typeof value === 'string' ? clean(value) : value;
    });
  } catch {
    return JSON.stringify({
      time: fields['time'],
      level: fields['level'],
      message: fields['message'],
      unprintable: true,
    });
  }
}

/** Omits other properties of errors, such as a request with its headers. */
function describeError(error: Error, depth: number): LogFields {
  const cause = error.cause;
  return {
    name: error.name,
    message: error.message,
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: error.code }
      : {}),
    stack: error.stack?.split('\n').slice(1, 9).join('\n'),
    ...(depth < MAX_CAUSES ? describeCause(cause, depth + 1) : {}),
  };
}

/** Database errors are plain objects, whose details can quote rows. */
function describeCause(cause: unknown, depth: number): LogFields {
  if (cause instanceof Error) return { cause: describeError(cause, depth) };
  if (typeof cause !== 'object' || cause === null) return {};
  const shown = ['name', 'message', 'code'].flatMap((key) => {
    const value: unknown = Reflect.get(cause, key);
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? [[key, value] as const] : [];
  });
  return shown.length === 0 ? {} : { cause: Object.fromEntries(shown) };
}

function clean(text: string): string {
  let result = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  for (const secret of SECRETS) result = result.replace(secret, '[redacted]');
  return result;
}
