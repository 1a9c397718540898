import { AppError } from '#lib/errors.ts';
import type { SettingsFacts, Source } from '#lib/facts/facts.ts';
import { isRef, parseRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
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

export interface RemoteName extends RepositoryName {
  readonly ref?: string;
}

export function remoteRepository(argument: string, { webUrl }: RemoteOptions): RemoteName | undefined {
  const name = parseRepositoryName(argument, webUrl) ?? nameWithRef(argument, webUrl);
  if (name === undefined && /^(?:[a-z][a-z+]*:\/\/|git@)/i.test(argument)) {
    throw new AppError('usage', `"${argument}" is not a repository on ${new URL(webUrl).host}.`);
  }
  return name;
}

/** Parses `owner/name@ref`. Addresses such as `git@host:owner/name` have another @ before. */
function nameWithRef(argument: string, webUrl: string): RemoteName | undefined {
  for (let at = argument.indexOf('@'); at >= 0; at = argument.indexOf('@', at + 1)) {
    const name = parseRepositoryName(argument.slice(0, at), webUrl);
    const ref = argument.slice(at + 1);
    if (name === undefined) continue;
    if (!isRef(ref)) throw new AppError('usage', `"${ref}" is not the name of a branch or tag, nor a commit.`);
    return { ...name, ref };
  }
  return undefined;
}

export interface RemoteFiles {
  readonly fullName: string;
  readonly files: readonly InputFile[];
  readonly settings: Source<SettingsFacts>;
}
