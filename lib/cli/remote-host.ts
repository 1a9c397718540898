import { AppError } from '#lib/errors.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import type { CodeHost, RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import type { RemoteFiles, RemoteName, RemoteOptions } from './remote.ts';

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

export async function readRemote({ owner, name, ref }: RemoteName, options: RemoteOptions): Promise<RemoteFiles> {
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
    snapshot = await codeHost.readRepository(owner, name, ref);
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
