import { createPrivateKey } from 'node:crypto';
import { App } from '@octokit/app';
import { LRUCache } from 'lru-cache';
import { AppError } from '#lib/errors.ts';
import { Limiter } from '../limiter.ts';
import { setCheckRun } from './check-runs.ts';
import { Client, onlyToken } from './client.ts';
import { listDeliveries, redeliver } from './deliveries.ts';
import { CodeHostFailure, toAppError } from './errors.ts';
import { commitFix, labelFixes, openFix, readFixBranches, replaceFix, type Writing } from './fixes.ts';
import { findInstallationId, findName, listAll, readInstallation, readOwnPermissions } from './installations.ts';
import { assertSafe, octokitFor, SILENT } from './octokit.ts';
import { administersAsPerson, administersAsSeen, exchangeCode, readPerson } from './people.ts';
import type { CodeHostApp, CodeHostAppOptions, KnownTree, RepositoryRead } from './port.ts';
import { readPullRequests } from './pull-request-states.ts';
import { holdsAllActions, readActions } from './read-actions.ts';
import { readChange } from './read-change.ts';
import { readTexts } from './read-more.ts';
import { probe, readFiles, toHead } from './read-repository.ts';
import { parseFullName, type RepositoryName } from './repository-name.ts';
import { type MayRead, readSettings } from './settings.ts';
import { InstallationTokens, type Scope } from './tokens.ts';
import { isTreeOf } from './tree.ts';

const MAX_CLIENTS = 1_000;
/** Two for a repository's files, each retried once. */
const MAX_REQUESTS = 4;
/** A push waits for its scan; facts not known by then are reported as not assessed. */
const ACTIONS_TIME_LIMIT_MS = 5_000;

interface Connection {
  readonly tokens: InstallationTokens;
  readonly reading: (permissions: readonly string[], scmId?: string) => Client;
  readonly writing: (permissions: readonly string[], scmId: string, reads?: readonly string[]) => Client;
}

const CONTENTS = ['contents'];
const SETTINGS = ['contents', 'actions', 'administration', 'repository_hooks'];
const MEMBERS = ['members'];
const CHECKS = ['checks'];
const PULL_REQUESTS = ['pull_requests', 'contents'];

/** Narrow even for fixes: only files of workflows need the permission for them. */
function writesFor(files: readonly string[]): readonly string[] {
  return files.some((file) => file.startsWith('.github/workflows/')) ? [...PULL_REQUESTS, 'workflows'] : PULL_REQUESTS;
}

/** Creates the client of the app. Create one per app: it caches tokens and limits by installation. */
export function createCodeHostApp(options: CodeHostAppOptions): CodeHostApp {
  const { apiUrl, graphqlUrl, webUrl, timeoutMs, holdsAllActions: holdsAll = holdsAllActions(apiUrl) } = options;
  const { id: appId, clientId, clientSecret } = options.app;
  for (const url of [graphqlUrl, webUrl]) assertSafe(url);
  const Octokit = octokitFor(apiUrl, timeoutMs);
  const app = new App({ appId, privateKey: toPkcs8(options.app.privateKey), Octokit, log: SILENT });
  const octokit = new Octokit();
  const asApp = new Client({ octokit: app.octokit, graphqlUrl });
  const asNobody = new Client({ octokit, graphqlUrl });
  const connections = new LRUCache<string, Connection>({ max: MAX_CLIENTS });

  function connect(installationId: string): Connection {
    if (!isNumber(installationId)) throw new CodeHostFailure('uninstalled', 'The installation has no number.');
    let connection = connections.get(installationId);
    if (connection === undefined) {
      const tokens = new InstallationTokens(app, asApp, installationId);
      const limiter = new Limiter();
      const clientFor = (scope: Scope): Client =>
        new Client({ octokit, graphqlUrl, limiter, tokens: tokens.tokensFor(scope) });
      connection = {
        tokens,
        reading: (permissions, scmId) =>
          clientFor({
            permissions,
            ...(scmId === undefined || !isNumber(scmId) ? {} : { repositoryId: Number(scmId) }),
          }),
        writing: (writes, scmId, reads = []) => {
          if (!isNumber(scmId)) throw new CodeHostFailure('missing', 'The repository has no number.');
          return clientFor({ permissions: reads, writes, repositoryId: Number(scmId) });
        },
      };
      connections.set(installationId, connection);
    }
    return connection;
  }

  return {
    findInstallation: (installationId) =>
      told(async () => (isNumber(installationId) ? readInstallation(asApp, installationId) : null)),

    listRepositories: (installationId) => told(async () => listAll(connect(installationId).reading([]))),

    readRepository: (installationId, { scmId, fullName }, known) =>
      told(async () => {
        const client = connect(installationId).reading(CONTENTS, scmId);
        const read =
          (await readAt(client, parseFullName(fullName), scmId, known)) ??
          (await readAt(client, await findName(client, scmId), scmId, known));
        if (read === undefined || !(await staysIn(installationId, fullName, read.head.fullName))) {
          throw new AppError('not-found', 'The installation can no longer access this repository.');
        }
        return read;
      }),

    readSettings: async (installationId, { scmId, fullName }) => {
      if (!isNumber(installationId)) return { missing: 'offline' };
      const { reading, tokens } = connect(installationId);
      // The app never requests this permission, and asking for it would reload the grants each time.
      const may: MayRead = async (permission) =>
        permission !== 'organization_administration' && tokens.mayRead(permission);
      return readSettings(reading(SETTINGS, scmId), may, fullName);
    },

    readActions: async (installationId, used) => {
      if (!isNumber(installationId)) return { missing: 'offline' };
      return readActions(used, {
        client: connect(installationId).reading(CONTENTS),
        host: apiUrl,
        holdsAll,
        timeLimitMs: ACTIONS_TIME_LIMIT_MS,
      });
    },

    readTexts: async (installationId, { scmId, fullName, commit }, paths) => {
      const at = parseFullName(fullName);
      if (at === undefined || !isNumber(installationId)) return { missing: 'offline' };
      return readTexts(connect(installationId).reading(CONTENTS, scmId), { ...at, commit }, paths);
    },

    maySetChecks: (installationId) => told(async () => connect(installationId).tokens.mayWrite('checks')),

    readChange: (installationId, { scmId, fullName }, commits) =>
      told(async () => {
        const at = parseFullName(fullName);
        const client = connect(installationId).writing(CHECKS, scmId, CONTENTS);
        const read = at && (await readChange(client, { ...at, scmId }, commits));
        if (read === undefined) throw new AppError('not-found', 'The code host does not have one of the commits.');
        return read;
      }),

    setCheckRun: (installationId, { scmId, fullName }, run) =>
      told(async () => {
        const at = parseFullName(fullName);
        const client = connect(installationId).writing(CHECKS, scmId, CONTENTS);
        if (at !== undefined) await setCheckRun(client, at, run);
      }),

    mayAskForChecks: () => told(async () => (await readOwnPermissions(asApp))['checks'] === 'write'),

    fixWriter: (installationId, { scmId, fullName }, { budget, deadline }) => {
      const at = parseFullName(fullName);
      const writing = (files: readonly string[]): Writing => {
        const client = connect(installationId).writing(writesFor(files), scmId);
        return { client, budget, installationId, deadline };
      };
      return {
        missingPermissions: (files) =>
          told(async () => {
            const { tokens } = connect(installationId);
            const wanted = writesFor(files);
            const may = await Promise.all(wanted.map((permission) => tokens.mayWrite(permission)));
            return wanted.filter((_, index) => may[index] === false);
          }),
        readBranches: (places, known) =>
          told(async () => {
            const client = connect(installationId).reading(PULL_REQUESTS, scmId);
            const found = at && (await readFixBranches(client, { ...at, scmId }, places, known));
            if (found === undefined) {
              throw new AppError('not-found', 'The installation can no longer access this repository.');
            }
            return found;
          }),
        commit: (commit, pull) => told(async () => commitFix(writing([commit.file]), commit, pull)),
        open: (pull) => told(async () => openFix(writing([pull.file]), pull)),
        replace: (change) => told(async () => replaceFix(writing([change.file]), change)),
        label: ({ pullIds, labels, files }) => told(async () => labelFixes(writing(files), pullIds, labels)),
      };
    },

    readPullRequests: async function* (installationId, wanted) {
      try {
        yield* readPullRequests(connect(installationId).reading(PULL_REQUESTS), wanted);
      } catch (error) {
        throw toAppError(error);
      }
    },

    listDeliveries: async function* (which) {
      try {
        yield* listDeliveries(asApp, which);
      } catch (error) {
        throw toAppError(error);
      }
    },

    redeliver: (deliveryId) => told(async () => redeliver(asApp, deliveryId)),

    isOrganizationAdmin: (installationId, organization, personId) =>
      told(async () => {
        const { reading, tokens } = connect(installationId);
        if (!isNumber(personId) || !(await tokens.mayRead('members'))) return false;
        return administersAsSeen(reading(MEMBERS), organization, personId);
      }),

    readAuthorization: (code, organization) =>
      told(async () => {
        if (!/^[\w-]{1,200}$/.test(code)) return null;
        const parameters = { client_id: clientId, client_secret: clientSecret, code };
        const token = await exchangeCode(asNobody, webUrl, parameters);
        if (token === undefined) return null;
        const client = new Client({ octokit, graphqlUrl, tokens: onlyToken(token) });
        const person = await readPerson(client);
        const administers = organization !== null && (await administersAsPerson(client, organization, person.id));
        return { person, administers };
      }),
  };

  async function staysIn(installationId: string, before: string, now: string): Promise<boolean> {
    const at = parseFullName(now);
    if (at === undefined) return false;
    if (at.owner.toLowerCase() === parseFullName(before)?.owner.toLowerCase()) return true;
    return (await findInstallationId(asApp, at)) === installationId;
  }
}

async function readAt(
  client: Client,
  at: RepositoryName | undefined,
  scmId: string,
  known: KnownTree | undefined,
): Promise<RepositoryRead | undefined> {
  if (at === undefined) return undefined;
  const isIt = ({ databaseId }: { readonly databaseId: unknown }): boolean => String(databaseId) === scmId;
  if (known !== undefined) {
    const probed = await probe(client, at);
    if (probed === undefined || !isIt(probed)) return undefined;
    if (isTreeOf(known.tree, probed)) return { unchanged: true, head: toHead(probed, known.tree) };
  }
  const read = await readFiles(client, at, { accepts: isIt, maxRequests: MAX_REQUESTS, whole: true });
  return read === undefined ? undefined : { unchanged: false, ...read };
}

/** Installation ids come from outside: only digits may reach the URL. */
function isNumber(id: string): boolean {
  return /^[1-9]\d{0,14}$/.test(id);
}

function toPkcs8(pem: string): string {
  try {
    return createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    throw new TypeError("The app's private key must be a private key in PEM form.");
  }
}

async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw toAppError(error);
  }
}
