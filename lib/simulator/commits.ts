import type { Author } from './git.ts';
import type { GitObject } from './object-reader.ts';

export interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Author;
  readonly committer: Author;
  readonly message: string;
}

export function parseCommit(commit: GitObject): CommitText {
  const text = commit.content.toString();
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end);
  return {
    tree: /^tree ([0-9a-f]{40})$/m.exec(headers)?.[1] ?? '',
    parents: [...headers.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => parent),
    author: personOf(headers, 'author'),
    committer: personOf(headers, 'committer'),
    message: text.slice(end + 2).trim(),
  };
}

export function toTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function personOf(headers: string, role: string): Author {
  const line = headers.split('\n').find((each) => each.startsWith(`${role} `)) ?? '';
  const [, name = '', email = '', seconds = '0'] = /^\w+ (.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line) ?? [];
  return { name, email, date: new Date(Number(seconds) * 1000) };
}
