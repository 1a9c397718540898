import { GraphQLError } from 'graphql';
import { parseCommit, toTimestamp } from './commits.ts';
import type { Author, Objects } from './git.ts';
import type { Account, Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import type { World } from './world.ts';

export interface Source {
  readonly git: Objects;
  readonly world: World;
  readonly repository: Repository;
  readonly webUrl: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function ownerFields({ id, login, type, createdAt }: Account): Fields {
  return { __typename: type, id: `O_${id}`, databaseId: id, login, createdAt };
}

export function dateOf(commit: GitObject | undefined): string {
  return toTimestamp(commit === undefined ? new Date(0) : parseCommit(commit).committer.date);
}

export function commitFields(commit: GitObject, source: Source): Fields {
  const { world, repository, webUrl } = source;
  const { author, committer, message, tree, parents } = parseCommit(commit);
  const actor = ({ name, email, date }: Author): Fields => {
    const account = world.accountOfEmail(email);
    return {
      __typename: 'GitActor',
      name,
      email,
      date: toTimestamp(date),
      // GitHub shows an app as a user here.
      user: account === undefined ? null : { ...ownerFields(account), __typename: 'User' },
    };
  };
  return {
    __typename: 'Commit',
    id: `C_${commit.oid}`,
    oid: commit.oid,
    abbreviatedOid: commit.oid.slice(0, 7),
    url: `${webUrl}/${world.fullNameOf(repository)}/commit/${commit.oid}`,
    message,
    messageHeadline: message.split('\n', 1)[0],
    committedDate: toTimestamp(committer.date),
    authoredDate: toTimestamp(author.date),
    author: actor(author),
    committer: actor(committer),
    tree: { __typename: 'Tree', oid: tree },
    parents: {
      totalCount: parents.length,
      nodes: async () => {
        const objects = await Promise.all(parents.map((parent) => source.git.object(parent)));
        return objects.filter((each) => each !== undefined).map((each) => commitFields(each, source));
      },
    },
    signature: repository.signed.includes(commit.oid)
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
