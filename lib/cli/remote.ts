import { AppError } from '#lib/errors.ts';
import type { SettingsFacts, Source } from '#lib/facts/facts.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import type { CodeHost, RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { parseRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { InputFile } from '#lib/workflow/repository.ts';

export interface RemoteOptions {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly webUrl: string;
  readonly token: string | undefined;
}

export function remoteOptions(environment: NodeJS.ProcessEnv): RemoteOptions {
  const apiUrl = addressOf(environment, 'SCM_API_URL') ?? 'https://api.github.com';
  const graphqlUrl = addressOf(environment, 'SCM_GRAPHQL_URL') ?? `${apiUrl.replace(/\/v3$/, '')}/graphql`;
  const webUrl = addressOf(environment, 'SCM_WEB_URL') ?? new URL(apiUrl).origin.replace('://api.', '://');
  const token = environment['SCM_PUBLIC_TOKEN'] || environment['GITHUB_TOKEN'] || undefined;
  return { apiUrl, graphqlUrl, webUrl, token };
}

/**
 * Returns where to look up image digests or package provenance; undefined if disabled. Throws an AppError for a
 * variable that is not a URL.
 */
export function registries(
  environment: NodeJS.ProcessEnv,
  of: 'IMAGE' | 'PACKAGE',
): { readonly origin: string | null } | undefined {
  if (environment[`${of}_LOOKUP`] === 'off') return undefined;
  return { origin: addressOf(environment, `${of}_REGISTRY_ORIGIN`) ?? null };
}

function addressOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name];
  if (value === undefined || value === '') return undefined;
  const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/.test(value);
  if (!URL.canParse(value) || !(isLocal || value.startsWith('https://'))) {
    throw new AppError('usage', `${name} must be an https:// URL.`);
  }
  return value.replace(/(?<!\/)\/+$/, '');
}

export function remoteRepository(argument: string, { webUrl }: RemoteOptions): RepositoryName | undefined {
  const name = parseRepositoryName(argument, webUrl);
  if (name === undefined && /^(?:[a-z][a-z+]*:\/\/|git@)/i.test(argument)) {
    throw new AppError('usage', `"${argument}" is not a repository on ${new URL(webUrl).host}.`);
  }
  return name;
}

export interface RemoteFiles {
  readonly fullName: string;
  readonly files: readonly InputFile[];
  readonly settings: Source<SettingsFacts>;
}

/** Create one per run, since it tracks rate limits. Throws an AppError without a token. */
export function connectForActions({
  token,
  apiUrl,
  graphqlUrl,
  webUrl,
}: RemoteOptions): Pick<CodeHost, 'readActions' | 'readPublicRepository' | 'actionSource'> {
  if (token === undefined) {
    throw new AppError(
      'usage',
      `--online needs access to ${new URL(webUrl).host}: set GITHUB_TOKEN to a token that can read it.`,
    );
  }
  return createCodeHost({ token, apiUrl, graphqlUrl });
}

export async function readRemote({ owner, name }: RepositoryName, options: RemoteOptions): Promise<RemoteFiles> {
  const { token, apiUrl, graphqlUrl, webUrl } = options;
  const { host } = new URL(webUrl);
  if (token === undefined) {
    throw new AppError(
      'unreadable',
      `No such file or folder: "${owner}/${name}". To scan it as a repository on ${host}, set GITHUB_TOKEN to a token that can read it.`,
    );
  }
  const codeHost = createCodeHost({ token, apiUrl, graphqlUrl });
  let snapshot: RepositorySnapshot;
  try {
    snapshot = await codeHost.readRepository(owner, name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const wait = error.retryAfterSeconds === undefined ? '' : ` Try again in ${error.retryAfterSeconds} seconds.`;
    throw new AppError('unreadable', `${host}: ${error.message}${wait}`, { cause: error });
  }
  const [canonicalOwner = owner, canonicalName = name] = snapshot.fullName.split('/');
  const settings = await codeHost.readSettings(canonicalOwner, canonicalName);
  return { fullName: snapshot.fullName, files: [...snapshot.files, ...snapshot.unread.map(unreadFile)], settings };
}

function unreadFile(path: string): InputFile {
  const message = 'Not read: beyond what two requests to the code host return.';
  return { path, text: undefined, problem: { severity: 'warning', message } };
}
