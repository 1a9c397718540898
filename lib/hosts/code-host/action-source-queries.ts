import * as z from 'zod/mini';
import { Named } from './action-queries.ts';
import { Id } from './answers.ts';

/**
 * Reads everything except refs beyond the first hundred in one request. `$since` limits the commits whose authors
 * count.
 */
export const ACTION_REPOSITORY_QUERY = `query ActionRepository($owner: String!, $name: String!, $since: GitTimestamp!) {
  repository(owner: $owner, name: $name) {
    databaseId nameWithOwner url description visibility isArchived isFork isDisabled stargazerCount createdAt
    isSecurityPolicyEnabled
    licenseInfo { key spdxId }
    owner { __typename login ... on User { databaseId createdAt } ... on Organization { databaseId createdAt } }
    defaultBranchRef { name target { oid ... on Commit {
      committedDate
      history(first: 100, since: $since) {
        nodes { author { email name user { login } } } pageInfo { hasNextPage }
      }
    } } }
    tags: refs(refPrefix: "refs/tags/", first: 100, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) {
      nodes { ...Named } pageInfo { hasNextPage endCursor }
    }
    branches: refs(refPrefix: "refs/heads/", first: 100) { nodes { ...Named } pageInfo { hasNextPage endCursor } }
  }
}
fragment Named on Ref {
  name
  target { oid ...Dated ... on Tag { target { oid ...Dated ... on Tag { target { oid ...Dated } } } } }
}
fragment Dated on Commit { committedDate }`;

export const MORE_TAGS_QUERY = `query MoreTags($owner: String!, $name: String!, $after: String!) {
  repository(owner: $owner, name: $name) {
    tags: refs(
      refPrefix: "refs/tags/", first: 100, after: $after, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }
    ) { nodes { ...Named } pageInfo { hasNextPage endCursor } }
  }
}
fragment Named on Ref {
  name
  target { oid ...Dated ... on Tag { target { oid ...Dated ... on Tag { target { oid ...Dated } } } } }
}
fragment Dated on Commit { committedDate }`;

export function textsQuery(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const variables = numbers.map((number) => `$f${number}: GitObjectID!`).join(', ');
  const fields = numbers.map((number) => `f${number}: object(oid: $f${number}) { ...Content }`).join('\n');
  return `query ActionTexts($owner: String!, $name: String!, $commit: GitObjectID!, ${variables}) {
  repository(owner: $owner, name: $name) {
    commit: object(oid: $commit) { ... on Commit { committedDate signature { isValid } } }
    ${fields}
  }
}${count === 0 ? '' : '\nfragment Content on Blob { byteSize isBinary isTruncated text }'}`;
}

const Refs = z.object({
  nodes: z.array(z.nullable(Named)),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.nullable(z.string()) }),
});

const Actor = z.object({
  email: z.nullable(z.string()),
  name: z.nullable(z.string()),
  user: z.nullable(z.object({ login: z.string() })),
});

export const FoundActionRepository = z.object({
  databaseId: Id,
  nameWithOwner: z.string(),
  url: z.string(),
  description: z.nullable(z.string()),
  visibility: z.string(),
  isArchived: z.boolean(),
  isFork: z.boolean(),
  isDisabled: z.boolean(),
  stargazerCount: z.number(),
  createdAt: z.string(),
  isSecurityPolicyEnabled: z.nullable(z.boolean()),
  licenseInfo: z.nullable(z.object({ key: z.string(), spdxId: z.nullable(z.string()) })),
  owner: z.object({ login: z.string(), databaseId: z.optional(z.nullable(Id)), createdAt: z.optional(z.string()) }),
  defaultBranchRef: z.nullable(
    z.object({
      name: z.string(),
      target: z.nullable(
        z.object({
          oid: z.string(),
          committedDate: z.optional(z.string()),
          history: z.optional(
            z.object({
              nodes: z.nullable(z.array(z.nullable(z.object({ author: z.nullable(Actor) })))),
              pageInfo: z.object({ hasNextPage: z.boolean() }),
            }),
          ),
        }),
      ),
    }),
  ),
  tags: z.nullable(Refs),
  branches: z.nullable(Refs),
});
export type FoundActionRepository = z.infer<typeof FoundActionRepository>;

export const ActionRepositoryAnswer = z.object({ repository: z.nullable(FoundActionRepository) });
export const MoreTagsAnswer = z.object({ repository: z.nullable(z.object({ tags: z.nullable(Refs) })) });

export const TextsAnswer = z.object({ repository: z.nullable(z.record(z.string(), z.unknown())) });
export const FoundCommit = z.object({
  committedDate: z.optional(z.string()),
  signature: z.optional(z.nullable(z.object({ isValid: z.boolean() }))),
});

export const TreeAnswer = z.object({
  truncated: z.boolean(),
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string(), size: z.optional(z.number()) }),
  ),
});
export const BlobAnswer = z.object({ content: z.string(), encoding: z.literal('base64') });
export const ReleasesAnswer = z.array(
  z.object({
    tag_name: z.string(),
    draft: z.boolean(),
    prerelease: z.boolean(),
    immutable: z.optional(z.boolean()),
    published_at: z.nullable(z.string()),
  }),
);
const FoundAdvisory = z.object({
  ghsa_id: z.string(),
  type: z.string(),
  severity: z.string(),
  published_at: z.string(),
  withdrawn_at: z.nullable(z.string()),
  cwes: z.nullable(z.array(z.object({ cwe_id: z.string() }))),
  vulnerabilities: z.nullable(
    z.array(
      z.object({
        package: z.nullable(z.object({ ecosystem: z.string(), name: z.nullable(z.string()) })),
        vulnerable_version_range: z.nullable(z.string()),
      }),
    ),
  ),
});
export type FoundAdvisory = z.infer<typeof FoundAdvisory>;
export const AdvisoriesAnswer = z.array(FoundAdvisory);
