import { AppError, type FieldError, type ProblemCode } from '#lib/errors.ts';

export const MAX_BODY_BYTES = 1024 * 1024;

export function checkAnnouncedLength(headers: Headers, limit: number, oversized?: ProblemCode): void {
  const announced = headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit, oversized);
}

export async function readBody(request: Request, limit: number, oversized?: ProblemCode): Promise<Uint8Array> {
  checkAnnouncedLength(request.headers, limit, oversized);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit, oversized);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number, oversized: ProblemCode = 'payload-too-large'): AppError {
  return new AppError(oversized, `The body must not exceed ${limit.toLocaleString('en')} bytes.`);
}

export function checkMediaType(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"\s]*)"?$/.exec(parameter.trim())?.[1])
    .find(Boolean);
  if (type.trim() !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    throw new AppError('unsupported-media-type', 'The body must be application/json in UTF-8.');
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('invalid-json', 'The body is not JSON in UTF-8.');
  }
  const errors = unstorableTexts(value);
  if (errors.length > 0)
    throw new AppError('validation-failed', 'The body contains text that cannot be stored.', { errors });
  return value;
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const MAX_ERRORS = 20;

/** Walks without recursion: a body within the limit can nest half a million levels. */
function unstorableTexts(root: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: '' }];
  for (let next = open.pop(); next !== undefined && errors.length < MAX_ERRORS; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !isStorable(value)) errors.push({ path, message: 'NUL or half a surrogate pair' });
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const storable = isStorable(key);
      if (!storable) errors.push({ path, message: 'a key with NUL or half a surrogate pair' });
      const below =
        path.length > 200 || !storable ? path : path === '' ? key.slice(0, 100) : `${path}.${key.slice(0, 100)}`;
      open.push({ value: child, path: below });
    }
  }
  return errors;
}
