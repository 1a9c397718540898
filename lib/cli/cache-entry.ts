import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const DIGEST_BYTES = 32;

export function readEntry(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const content = bytes.subarray(DIGEST_BYTES);
  return bytes.length > DIGEST_BYTES && digestOf(content).equals(bytes.subarray(0, DIGEST_BYTES)) ? content : undefined;
}

export function writeEntry(path: string, content: Uint8Array): void {
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(temporary, Buffer.concat([digestOf(content), content]), { flag: 'wx', mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
