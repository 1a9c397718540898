export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** A branch, a tag or a commit as `owner/name@ref` names it: text that git accepts and that means nothing else to it. */
const REF = /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|\.lock(?:\/|$)))[\w./+#=,%!-]{1,250}(?<![/.])$/;

export function isRef(text: string): boolean {
  return REF.test(text);
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

export function isRepositoryName({ owner, name }: RepositoryName): boolean {
  return OWNER.test(owner) && NAME.test(name) && name !== '.' && name !== '..';
}

export function parseFullName(fullName: string): RepositoryName | undefined {
  const [owner = '', name = '', ...rest] = fullName.split('/');
  return rest.length === 0 && isRepositoryName({ owner, name }) ? { owner, name } : undefined;
}

/**
 * Parses `owner/name` or any copied URL of the code host, with or without scheme, `.git` and trailing path. Undefined
 * for other text and hosts.
 */
export function parseRepositoryName(input: string, webUrl: string): RepositoryName | undefined {
  const text = input.trim();
  if (text.length > 1_000 || /[\s\\]/.test(text)) return undefined;
  const { host } = new URL(webUrl);
  const path = pathOnHost(text, host.toLowerCase());
  if (path === undefined) return undefined;
  const [owner = '', rawName = '', ...rest] = path
    .replace(/^\//, '')
    .replace(/[?#][\s\S]*/, '')
    .split('/');
  const isPlain = path === text;
  if (isPlain && (text.startsWith('/') || rest.some((segment) => segment !== ''))) return undefined;
  const name = rawName.replace(/\.git$/i, '');
  return isRepositoryName({ owner, name }) ? { owner, name } : undefined;
}

function pathOnHost(text: string, host: string): string | undefined {
  const [, scheme, authority = '', path = ''] = /^(?:([a-z][a-z+]*):\/\/)?([^/]*)(\/.*)?$/i.exec(text) ?? [];
  if (scheme !== undefined) {
    if (!['http', 'https', 'ssh', 'git', 'git+ssh', 'git+https'].includes(scheme.toLowerCase())) return undefined;
    return isHost(authority.replace(/^git@/, ''), host) ? path : undefined;
  }
  const [, remote = '', behind = ''] = /^git@([^:/]+):(.*)$/.exec(text) ?? [];
  if (remote !== '') return isHost(remote, host) ? `/${behind}` : undefined;
  return isHost(authority, host) ? path : text;
}

function isHost(authority: string, host: string): boolean {
  const given = authority.toLowerCase();
  const bare = host.replace(/:\d+$/, '');
  return given === host || given === bare || given === `www.${host}`;
}
