import * as z from 'zod/mini';
import { Id, understand } from './answers.ts';
import { again, type Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import type { PullRequestPlace, PullRequestState } from './port.ts';
import { parseFullName } from './repository-name.ts';

const BATCH = 50;

const Answer = z.record(
  z.string(),
  z.nullable(
    z.catchall(
      z.object({ databaseId: z.nullable(Id) }),
      z.nullable(
        z.object({
          state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
          mergedAt: z.nullable(z.string()),
          closedAt: z.nullable(z.string()),
          mergeCommit: z.nullable(z.object({ oid: z.string() })),
        }),
      ),
    ),
  ),
);

export async function* readPullRequests(
  client: Client,
  wanted: readonly PullRequestPlace[],
): AsyncGenerator<readonly PullRequestState[]> {
  let failedBefore = false;
  for (let at = 0; at < wanted.length; at += BATCH) {
    try {
      yield await readBatch(client, wanted.slice(at, at + BATCH));
      failedBefore = false;
    } catch (error) {
      if (failedBefore || !(error instanceof CodeHostFailure) || !error.isPassing) throw error;
      failedBefore = true;
    }
  }
}

async function readBatch(client: Client, batch: readonly PullRequestPlace[]): Promise<readonly PullRequestState[]> {
  const names = [...new Set(batch.map(({ fullName }) => fullName))].filter((name) => parseFullName(name) !== undefined);
  if (names.length === 0) return [];
  const { query, variables } = queryOf(names, batch);
  const { data } = await again(2, () => client.query(query, variables));
  const repositories = understand(Answer, data);
  return batch.flatMap(({ scmId, fullName, number }, index): PullRequestState[] => {
    const repository = repositories[`r${names.indexOf(fullName)}`];
    const found = repository?.[`p${index}`];
    if (repository == null || found == null || String(repository.databaseId) !== scmId) return [];
    const { state, mergedAt, closedAt, mergeCommit } = found;
    return [{ scmId, number, state: STATES[state], mergedAt, closedAt, mergeCommit: mergeCommit?.oid ?? null }];
  });
}

const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;

function queryOf(names: readonly string[], batch: readonly PullRequestPlace[]) {
  const variables: Record<string, string | number> = {};
  const fields = names.map((name, at) => {
    const place = parseFullName(name);
    variables[`o${at}`] = place?.owner ?? '';
    variables[`n${at}`] = place?.name ?? '';
    const pulls = batch.flatMap(({ fullName, number }, index) => {
      if (fullName !== name) return [];
      variables[`k${index}`] = number;
      return [`p${index}: pullRequest(number: $k${index}) { ...State }`];
    });
    return `r${at}: repository(owner: $o${at}, name: $n${at}) { databaseId ${pulls.join(' ')} }`;
  });
  const types = Object.keys(variables).map((name) => `$${name}: ${name.startsWith('k') ? 'Int!' : 'String!'}`);
  const query = `query PullRequests(${types.join(', ')}) {
${fields.join('\n')}
}
fragment State on PullRequest { state mergedAt closedAt mergeCommit { oid } }`;
  return { query, variables };
}
