import type { Repository } from './model.ts';
import { escape, type PageAnswer, page, redirect } from './page.ts';
import type { People } from './people.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

const DECISIONS = ['merge', 'close', 'reopen'] as const;

export interface Browsing {
  readonly world: World;
  readonly people: People;
}

export async function browse(path: string, { world }: Browsing): Promise<PageAnswer | undefined> {
  const [owner = '', name = '', part, ...rest] = path.slice(1).split('/').map(decoded);
  const repository = publicRepository(world, `${owner}/${name}`);
  if (repository === undefined) return undefined;
  switch (part) {
    case undefined:
      return showRepository(repository, world);
    case 'blob':
      return showFile(repository, rest, world);
    case 'commit':
      return showCommit(repository, rest[0] ?? '', world);
    case 'pull':
      return showPull(repository, Number(rest[0]), world);
    default:
      return undefined;
  }
}

export async function decidePull(
  path: string,
  form: URLSearchParams,
  { world, people }: Browsing,
): Promise<PageAnswer | undefined> {
  const [owner = '', name = '', part, number] = path.slice(1).split('/').map(decoded);
  const repository = publicRepository(world, `${owner}/${name}`);
  const request = part === 'pull' ? pullOf(repository, Number(number), world) : undefined;
  const decision = DECISIONS.find((each) => each === form.get('decision'));
  if (repository === undefined || request === undefined || decision === undefined) return undefined;
  try {
    await people[decision](world.fullNameOf(repository), request.number);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return page(error.status, `<h1>That cannot be done</h1><p>${escape(error.message)}</p>`);
  }
  return redirect(path);
}

function publicRepository(world: World, fullName: string): Repository | undefined {
  const repository = world.repository(fullName);
  return repository?.visibility === 'public' ? repository : undefined;
}

function pullOf(repository: Repository | undefined, number: number, world: World) {
  return repository && world.pullRequests(repository).find((each) => each.number === number);
}

function showRepository(repository: Repository, world: World): PageAnswer {
  const pulls = world
    .pullRequests(repository)
    .map(({ number, title, state }) => {
      const address = escape(`/${world.fullNameOf(repository)}/pull/${number}`);
      return `<li><a href="${address}">#${number} ${escape(title)}</a> (${state})</li>`;
    })
    .join('');
  return page(
    200,
    `${headOf(repository, world)}<p>A repository of the local code host. Its default branch is <code>${escape(repository.defaultBranch)}</code>.</p>
<h2>Pull requests</h2>${pulls === '' ? '<p>There are none.</p>' : `<ul>${pulls}</ul>`}`,
  );
}

async function showFile(repository: Repository, [ref = '', ...parts]: readonly string[], world: World) {
  const file = parts.join('/');
  const found = file === '' ? undefined : await world.git(repository).object(`${ref}:${file}`);
  if (found?.type !== 'blob') return undefined;
  const lines = found.content.toString('utf8').split('\n');
  const numbered = lines.map((line, index) => `<span id="L${index + 1}"><i>${index + 1}</i>${escape(line)}\n</span>`);
  return page(
    200,
    `${headOf(repository, world)}<h2>${escape(file)}</h2><p>At <code>${escape(ref)}</code></p><pre>${numbered.join('')}</pre>`,
  );
}

async function showCommit(repository: Repository, oid: string, world: World) {
  const git = world.git(repository);
  const found = await git.object(oid);
  if (found?.type !== 'commit') return undefined;
  const text = found.content.toString('utf8');
  const parent = /^parent ([0-9a-f]{40})$/m.exec(text)?.[1];
  const changes = parent === undefined ? '<p>The first commit.</p>' : patchesOf(await git.diff(parent, oid));
  const message = text.slice(text.indexOf('\n\n') + 2);
  return page(
    200,
    `${headOf(repository, world)}<h2>Commit <code>${escape(oid)}</code></h2><p class="text">${escape(message)}</p>${changes}`,
  );
}

async function showPull(repository: Repository, number: number, world: World) {
  const request = pullOf(repository, number, world);
  if (request === undefined) return undefined;
  const { title, body, state, mergedAt, baseBranch, baseOid, headBranch, headOid, headRepositoryId } = request;
  const head = world.repositoryById(headRepositoryId);
  const from = head === repository || head === undefined ? headBranch : `${world.fullNameOf(head)}:${headBranch}`;
  const git = world.git(head ?? repository);
  const base = (await git.compare(baseOid, headOid))?.mergeBase ?? baseOid;
  const buttons = {
    open: '<button name="decision" value="merge">Merge</button> <button name="decision" value="close">Close</button>',
    closed: mergedAt === null ? '<button name="decision" value="reopen">Reopen</button>' : '',
  };
  return page(
    200,
    `${headOf(repository, world)}<h2>#${number} ${escape(title)}</h2>
<p><b>${mergedAt === null ? state : 'merged'}</b>: <code>${escape(from)}</code> into <code>${escape(baseBranch)}</code></p>
<form method="post">${buttons[state]}</form><p class="text">${escape(body ?? '')}</p>${patchesOf(await git.diff(base, headOid))}`,
  );
}

function headOf(repository: Repository, world: World): string {
  const name = escape(world.fullNameOf(repository));
  return `<h1><a href="/${name}">${name}</a></h1>`;
}

function patchesOf(files: readonly { readonly path: string; readonly patch: string | undefined }[]): string {
  return files.map(({ path, patch }) => `<h3>${escape(path)}</h3><pre>${escape(patch ?? '')}</pre>`).join('');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
