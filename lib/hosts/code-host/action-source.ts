import { ComparisonAnswer, type Named } from './action-queries.ts';
import {
  ACTION_REPOSITORY_QUERY,
  ActionRepositoryAnswer,
  AdvisoriesAnswer,
  BlobAnswer,
  type FoundActionRepository,
  type FoundAdvisory,
  FoundCommit,
  MORE_TAGS_QUERY,
  MoreTagsAnswer,
  ReleasesAnswer,
  TextsAnswer,
  TreeAnswer,
  textsQuery,
} from './action-source-queries.ts';
import { understand, unless } from './answers.ts';
import { again, type Client } from './client.ts';
import { CodeHostFailure, toAppError } from './errors.ts';
import type { ActionSource, HostedAdvisory, HostedRef, HostedRepository, TreeFile } from './port.ts';
import { Content } from './queries.ts';
import { isRepositoryName, type RepositoryName } from './repository-name.ts';

const MAX_TAG_PAGES = 4;
/** GitHub cuts the text of a blob in a query after this many bytes. */
const MAX_QUERIED_BYTES = 500_000;
const MAX_QUERIED_FILES = 60;

/**
 * Creates the source of data for action scores. Every response is bounded, and repositories cannot name further
 * requests.
 */
export function createActionSource(client: Client): ActionSource {
  const own =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      read(...args).catch((error: unknown) => {
        throw toAppError(error);
      });
  return {
    readRepository: own((owner, name, since) => readRepository(client, { owner, name }, since)),
    readTree: own(async (at, commit) => {
      const answer = await client.read('/repos/{owner}/{repo}/git/trees/{tree_sha}', {
        ...parametersOf(at),
        tree_sha: commit,
        recursive: '1',
      });
      const { tree, truncated } = understand(TreeAnswer, answer);
      return {
        truncated,
        files: tree.flatMap(({ path, mode, type, sha, size = 0 }) =>
          type === 'blob' && mode !== '120000' ? [{ path, oid: sha, bytes: size }] : [],
        ),
      };
    }),
    readTexts: own((at, commit, files) => readTexts(client, at, commit, files)),
    readReleases: own(async (at) => {
      const answer = await client.read('/repos/{owner}/{repo}/releases', { ...parametersOf(at), per_page: 30 });
      return understand(ReleasesAnswer, answer).map(({ tag_name, draft, immutable, published_at }) => ({
        tag: tag_name,
        draft,
        immutable: immutable === true,
        publishedAt: published_at,
      }));
    }),
    readAdvisories: own(async ({ owner, name }) => {
      const answer = await client.read('/advisories', {
        ecosystem: 'actions',
        affects: `${owner}/${name}`,
        per_page: 100,
      });
      return understand(AdvisoriesAnswer, answer).map(toAdvisory);
    }),
    contains: own(async (at, tip, commit) => {
      const answer = await unless(
        ['missing'],
        client.read('/repos/{owner}/{repo}/compare/{basehead}', {
          ...parametersOf(at),
          basehead: `${tip}...${commit}`,
          per_page: 1,
          page: 2,
        }),
      );
      if (answer === undefined) return false;
      const { status } = understand(ComparisonAnswer, answer);
      return status === 'behind' || status === 'identical';
    }),
  };
}

function parametersOf({ owner, name }: RepositoryName): { readonly owner: string; readonly repo: string } {
  return { owner, repo: name };
}

async function readRepository(
  client: Client,
  at: RepositoryName,
  since: string,
): Promise<HostedRepository | undefined> {
  if (!isRepositoryName(at)) return undefined;
  const found = await again(2, async () => {
    const { data, errors } = await client.query(ACTION_REPOSITORY_QUERY, { ...at, since });
    if (errors.some(({ type, path }) => path?.length === 1 && (type === 'NOT_FOUND' || type === 'FORBIDDEN'))) {
      return undefined;
    }
    const { repository } = understand(ActionRepositoryAnswer, data);
    if (repository === null || errors.length > 0) throw new CodeHostFailure('server', 'GraphQL: a part is missing.');
    return repository;
  });
  if (found === undefined || found.visibility !== 'PUBLIC') return undefined;
  const tags = [...(found.tags?.nodes ?? [])];
  let page = found.tags?.pageInfo;
  for (let pages = 1; page?.hasNextPage === true && page.endCursor !== null && pages < MAX_TAG_PAGES; pages += 1) {
    const after = page.endCursor;
    const more = await again(2, async () =>
      understand(MoreTagsAnswer, (await client.query(MORE_TAGS_QUERY, { ...at, after })).data),
    );
    tags.push(...(more.repository?.tags?.nodes ?? []));
    page = more.repository?.tags?.pageInfo;
  }
  return toRepository(found, tags, page?.hasNextPage !== true);
}

function toRepository(
  found: FoundActionRepository,
  tags: readonly (Named | null)[],
  allTags: boolean,
): HostedRepository {
  const [owner = '', name = ''] = found.nameWithOwner.split('/');
  const target = found.defaultBranchRef?.target ?? undefined;
  const history = target?.history;
  return {
    scmId: String(found.databaseId),
    owner,
    name,
    url: found.url,
    description: found.description,
    ownerScmId: found.owner.databaseId == null ? null : String(found.owner.databaseId),
    ownerCreatedAt: found.owner.createdAt ?? null,
    archived: found.isArchived,
    stars: found.stargazerCount,
    license: found.licenseInfo === null ? null : (found.licenseInfo.spdxId ?? found.licenseInfo.key),
    securityPolicy: found.isSecurityPolicyEnabled === true,
    head: target?.oid ?? null,
    headAt: target?.committedDate ?? null,
    authors: (history?.nodes ?? []).flatMap((each) => {
      const author = each?.author ?? null;
      const key = author?.user?.login ?? author?.email ?? author?.name ?? null;
      if (author === null || key === null) return [];
      // GitHub shows no account for the author of an app's commit.
      return [{ key, bot: [key, author.email, author.name].some((text) => text?.includes('[bot]') === true) }];
    }),
    allAuthors: history === undefined || !history.pageInfo.hasNextPage,
    tags: tags.flatMap(toRef),
    allTags,
    branches: (found.branches?.nodes ?? []).flatMap(toRef),
    allBranches: found.branches?.pageInfo.hasNextPage !== true,
  };
}

function toRef(found: Named | null): HostedRef[] {
  const { target } = found ?? { target: null };
  if (found === null || target === null) return [];
  const commit = target.target?.target ?? target.target ?? target;
  return [{ name: found.name, commit: commit.oid, at: commit.committedDate ?? null }];
}

async function readTexts(
  client: Client,
  at: RepositoryName,
  commit: string,
  files: readonly TreeFile[],
): ReturnType<ActionSource['readTexts']> {
  const small = files.filter(({ bytes }) => bytes <= MAX_QUERIED_BYTES).slice(0, MAX_QUERIED_FILES);
  const texts = new Map<string, string>();
  const variables = Object.fromEntries(small.map(({ oid }, index) => [`f${index}`, oid]));
  const fields = await again(2, async () => {
    const { data } = await client.query(textsQuery(small.length), { ...at, commit, ...variables });
    const { repository } = understand(TextsAnswer, data);
    if (repository === null) throw new CodeHostFailure('server', 'GraphQL: no repository.');
    return repository;
  });
  for (const [index, { path }] of small.entries()) {
    const content = Content.safeParse(fields[`f${index}`]);
    if (content.success && content.data?.isTruncated === false && typeof content.data.text === 'string') {
      texts.set(path, content.data.text);
    }
  }
  for (const { path, oid } of files.filter(({ bytes }) => bytes > MAX_QUERIED_BYTES)) {
    const answer = await client.read('/repos/{owner}/{repo}/git/blobs/{file_sha}', {
      ...parametersOf(at),
      file_sha: oid,
    });
    const bytes = Buffer.from(understand(BlobAnswer, answer).content, 'base64');
    if (!bytes.includes(0)) texts.set(path, bytes.toString('utf8'));
  }
  const told = FoundCommit.safeParse(fields['commit']);
  return {
    texts,
    committedAt: told.success ? (told.data.committedDate ?? null) : null,
    verified: told.success ? told.data.signature?.isValid === true : null,
  };
}

function toAdvisory({ vulnerabilities, cwes, ...advisory }: FoundAdvisory): HostedAdvisory {
  return {
    ...advisory,
    cwes: cwes ?? [],
    vulnerabilities: (vulnerabilities ?? []).flatMap(({ package: affected, vulnerable_version_range }) =>
      affected?.ecosystem === 'actions' && affected.name !== null
        ? [{ package: { name: affected.name }, vulnerable_version_range }]
        : [],
    ),
  };
}
