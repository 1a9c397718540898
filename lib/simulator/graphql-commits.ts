import { GraphQLError } from 'graphql';
import type { Objects } from './git.ts';
import type { Account, Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import type { World } from './world.ts';

export interface Source {
  readonly git: Objects;
  readonly world: World;
  readonly repository: Repository;
}

type Fields = Readonly<Record<string, unknown>>;

export function ownerFields({ id, login, type, createdAt }: Account): Fields {
  return { __typename: type, id: `O_${id}`, databaseId: id, login, createdAt };
}

export function dateOf(commit: GitObject | undefined): string {
  const [, seconds] = /^committer .*> (\d+) [+-]\d{4}$/m.exec(commit?.content.toString() ?? '') ?? [];
  return `${new Date(Number(seconds ?? 0) * 1000).toISOString().slice(0, 19)}Z`;
}

export function commitFields(commit: GitObject, source: Source): Fields {
  const [, name = '', email = ''] = /^author (.*) <(.*)> \d+ [+-]\d{4}$/m.exec(commit.content.toString()) ?? [];
  const account = source.world.accounts.find((each) => each.type === 'User' && each.email === email);
  return {
    __typename: 'Commit',
    oid: commit.oid,
    committedDate: dateOf(commit),
    author: {
      __typename: 'GitActor',
      name,
      email,
      date: dateOf(commit),
      user: account === undefined ? null : ownerFields(account),
    },
    signature: source.repository.signed.includes(commit.oid)
      ? { __typename: 'GpgSignature', isValid: true, state: 'VALID' }
      : null,
    history: (args: { readonly since?: string; readonly first?: number; readonly after?: string | null }) =>
      historyFields(commit.oid, source, args),
  };
}

async function historyFields(
  oid: string,
  source: Source,
  { since, first = 100, after }: { readonly since?: string; readonly first?: number; readonly after?: string | null },
): Promise<Fields> {
  if (first > 100) throw new GraphQLError('Requesting more than 100 records exceeds the limit.');
  const objects = await Promise.all((await source.git.history(oid)).map((each) => source.git.object(each)));
  const commits = objects.filter((each) => each !== undefined);
  const recent =
    since === undefined ? commits : commits.filter((each) => Date.parse(dateOf(each)) >= Date.parse(since));
  const start = after == null ? 0 : Number(after) + 1;
  const shown = recent.slice(start, start + first);
  return {
    __typename: 'CommitHistoryConnection',
    totalCount: recent.length,
    nodes: shown.map((each) => commitFields(each, source)),
    pageInfo: {
      __typename: 'PageInfo',
      hasNextPage: start + shown.length < recent.length,
      endCursor: shown.length === 0 ? null : String(start + shown.length - 1),
    },
  };
}
