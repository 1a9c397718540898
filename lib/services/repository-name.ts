export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Whether the code host could have such a repository at all. */
export function isRepositoryName({ owner, name }: RepositoryName): boolean {
  return OWNER.test(owner) && NAME.test(name) && name !== '.' && name !== '..';
}

/** Reads `owner/repo`, or an address of the code host in any form that people paste; undefined for anything else. */
export function parseRepositoryInput(input: string, webUrl: string): RepositoryName | undefined {
  const text = input.trim();
  const path = pathOnHost(text, new URL(webUrl).host);
  const segments = (path ?? text).split('/');
  // Only an address may go on after the name, as `/tree/main` does; a trailing slash is nothing.
  const rest = segments.slice(2).filter((segment) => segment !== '');
  if (path === undefined && rest.length > 0) return undefined;
  const [owner = '', last = ''] = segments;
  const repository = { owner, name: last.replace(/\.git$/i, '') };
  return isRepositoryName(repository) ? repository : undefined;
}

/** What follows the host, without query and fragment; undefined when the text does not begin with our host. */
function pathOnHost(text: string, host: string): string | undefined {
  const match =
    /^(?:https?:\/\/|ssh:\/\/|git:\/\/|git\+https?:\/\/|git\+ssh:\/\/)?(?:[\w.-]+@)?([\w.-]+(?::\d+)?)[/:]+([^?#]*)/i.exec(
      text,
    );
  const given = match?.[1]?.toLowerCase();
  if (given === undefined || ![host, `www.${host}`].includes(given)) return undefined;
  return match?.[2]?.replace(/^\/+/, '');
}
