import { createHash } from 'node:crypto';

export type Half = 'tune' | 'check';

export function nameOfFolder(path: string): string | undefined {
  const [, owner, name] = /(?:^|\/)([^/]+?)__([^/]+)$/.exec(path) ?? [];
  return owner && `${owner}/${name}`;
}

/** Rules are changed by looking at `tune` only, so that `check` shows how they perform on unseen files. */
export function halfOf(repository: string): Half {
  const digest = createHash('sha256').update(repository.toLowerCase()).digest();
  // The first four bytes decide whether a repository is in the corpus.
  return digest.readUInt32BE(4) % 2 === 0 ? 'tune' : 'check';
}
