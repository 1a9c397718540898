import { AppError } from '#lib/errors.ts';
import { createActionSource } from './action-source.ts';
import { Client, onlyToken } from './client.ts';
import { toAppError } from './errors.ts';
import { assertSafe, octokitFor } from './octokit.ts';
import type { CodeHost, RepositorySnapshot } from './port.ts';
import { holdsAllActions, readActions } from './read-actions.ts';
import { type ReadOptions, readFiles } from './read-repository.ts';
import { isRepositoryName } from './repository-name.ts';
import { readSettings } from './settings.ts';

export interface CodeHostOptions {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly token: string;
  readonly timeoutMs?: number;
  readonly holdsAllActions?: boolean;
}

const MAX_REQUESTS = 2;

/**
 * Creates a client of GitHub, Enterprise Server or the local code host. Create one per token, since it tracks that
 * token's limits. Callers see refused tokens, limits and outages alike, except for the time to wait.
 */
export function createCodeHost(options: CodeHostOptions): CodeHost {
  const { apiUrl, graphqlUrl, token, timeoutMs, holdsAllActions: holdsAll = holdsAllActions(apiUrl) } = options;
  assertSafe(graphqlUrl);
  const octokit = new (octokitFor(apiUrl, timeoutMs))();
  const client = new Client({ octokit, graphqlUrl, tokens: onlyToken(token) });
  const read = async (
    owner: string,
    name: string,
    accepts: ReadOptions['accepts'],
    ref?: string,
  ): Promise<RepositorySnapshot | undefined> => {
    if (!isRepositoryName({ owner, name })) return undefined;
    const reading = { accepts, maxRequests: MAX_REQUESTS, whole: false, ref };
    const result = await readFiles(client, { owner, name }, reading).catch((error: unknown) => {
      throw toAppError(error);
    });
    return result?.snapshot;
  };
  return {
    async readPublicRepository(owner, name) {
      const snapshot = await read(owner, name, ({ visibility }) => visibility === 'PUBLIC');
      // Private and missing repositories get identical words.
      if (snapshot === undefined) throw new AppError('not-found', `There is no public repository ${owner}/${name}.`);
      return snapshot;
    },
    async readRepository(owner, name, ref) {
      const snapshot = await read(owner, name, () => true, ref);
      if (snapshot === undefined) {
        throw new AppError('not-found', `There is no repository ${owner}/${name} that this token can read.`);
      }
      return snapshot;
    },
    readSettings: (owner, name) => readSettings(client, async (_, isAdmin) => isAdmin, `${owner}/${name}`),
    actionSource: createActionSource(client),
    readActions: (used, limits) => readActions(used, { ...limits, client, host: apiUrl, holdsAll }),
  };
}
