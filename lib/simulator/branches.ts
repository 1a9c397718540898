import { type Acting, assertMayChange, emailOf, writerOf } from './acting.ts';
import { type FileContent, isBranch, isPath, type Objects } from './git.ts';
import type { Repository } from './model.ts';
import { assertUnprotected } from './protection.ts';
import { NO_COMMIT } from './pull-requests.ts';
import { announce } from './push.ts';
import { Refused } from './refused.ts';

const WEB_FLOW = { name: 'GitHub', email: 'noreply@github.com' };

export async function headOf(acting: Acting, repository: Repository, branch: string): Promise<string | undefined> {
  return isBranch(branch) ? (await acting.world.git(repository).object(`refs/heads/${branch}`))?.oid : undefined;
}

export async function createBranch(acting: Acting, repository: Repository, ref: string, oid: string): Promise<void> {
  const by = writerOf(acting, repository, 'contents');
  const branch = branchOf(ref);
  const git = acting.world.git(repository);
  if ((await git.object('HEAD')) === undefined) throw new Refused(409, 'Git Repository is empty.');
  assertUnprotected(acting, repository, branch, ['CREATION']);
  if ((await headOf(acting, repository, branch)) !== undefined) throw new Refused(422, 'Reference already exists');
  if ((await commitAt(git, oid)) === undefined) throw new Refused(422, 'Object does not exist');
  if (!(await acting.world.createBranch(repository, branch, oid))) {
    throw new Refused(422, 'Reference already exists');
  }
  await announce(repository, { branch, before: NO_COMMIT, after: oid, by }, acting);
}

export async function moveBranch(
  acting: Acting,
  repository: Repository,
  ref: string,
  oid: string,
  force: boolean,
): Promise<void> {
  const by = writerOf(acting, repository, 'contents');
  const branch = branchOf(ref);
  const before = await headOf(acting, repository, branch);
  if (before === undefined) throw new Refused(422, 'Reference does not exist');
  const git = acting.world.git(repository);
  if ((await commitAt(git, oid)) === undefined) throw new Refused(422, 'Object does not exist');
  const isForward = await acting.world.writeGit(repository, (own) => own.isAncestor(before, oid));
  if (!isForward && !force) throw new Refused(422, 'Update is not a fast forward');
  assertUnprotected(acting, repository, branch, ['UPDATE', 'PULL_REQUEST', ...(isForward ? [] : FORCED)]);
  assertMayChange(acting, await pathsBetween(git, before, oid));
  if (!(await acting.world.writeGit(repository, (own) => own.moveBranch(branch, oid, before)))) {
    throw new Refused(422, 'Reference cannot be updated');
  }
  await announce(repository, { branch, before, after: oid, by, forced: !isForward }, acting);
}

export async function removeBranch(acting: Acting, repository: Repository, ref: string): Promise<void> {
  const by = writerOf(acting, repository, 'contents');
  const branch = branchOf(ref);
  const before = await headOf(acting, repository, branch);
  if (before === undefined) throw new Refused(422, 'Reference does not exist');
  if (branch === repository.defaultBranch) throw new Refused(422, 'Cannot delete the default branch');
  assertUnprotected(acting, repository, branch, ['DELETION']);
  await acting.world.deleteBranch(repository, branch);
  await announce(repository, { branch, before, after: NO_COMMIT, by }, acting);
}

export interface BranchCommit {
  readonly branch: string;
  readonly expectedHead: string;
  readonly headline: string;
  readonly body: string | undefined;
  readonly additions: readonly { readonly path: string; readonly contents: string }[];
  readonly deletions: readonly { readonly path: string }[];
}

export async function commitOnBranch(acting: Acting, repository: Repository, change: BranchCommit): Promise<string> {
  const { branch, expectedHead, headline, body, additions, deletions } = change;
  const { world } = acting;
  const by = writerOf(acting, repository, 'contents');
  const paths = [...additions, ...deletions].map(({ path }) => path);
  assertMayChange(acting, paths);
  assertUnprotected(acting, repository, branch, ['UPDATE', 'PULL_REQUEST']);
  const wrong = paths.find((path) => !isPath(path));
  if (wrong !== undefined) throw new Refused(422, `A path was requested which is not valid: \`${wrong}\``);
  if (headline === '') throw new Refused(422, 'A commit message headline is required.');
  const added = additions.map(({ path, contents }) => ({ path, contents: fromBase64(contents) }));
  const now = new Date();
  const author = { name: by.name, email: emailOf(by), date: now };
  const message = body === undefined || body === '' ? headline : `${headline}\n\n${body}`;
  const after = await world.writeGit(repository, async (git) => {
    const head = (await git.object(`refs/heads/${branch}`))?.oid;
    if (head === undefined) throw new Refused(404, `No such branch ${branch}`);
    if (head !== expectedHead) throw stale(expectedHead);
    for (const { path } of deletions) {
      if ((await git.object(`${head}:${path}`)) !== undefined) continue;
      const message = `A path was requested for deletion which does not exist as of commit oid \`${head}\``;
      throw new Refused(422, message);
    }
    const files: Record<string, FileContent | null> = {};
    for (const { path } of deletions) files[path] = null;
    for (const { path, contents } of added) files[path] = contents;
    const committer = { ...WEB_FLOW, date: now };
    return git.commit(branch, { files, message, author, committer, keepOthers: true, keepModes: true });
  });
  world.sign(repository, after);
  world.pushed(repository, now);
  await announce(repository, { branch, before: expectedHead, after, by }, acting);
  return after;
}

export async function commitAt(git: Objects, revision: string): Promise<string | undefined> {
  const found = await git.object(`${revision}^{commit}`);
  return found?.type === 'commit' ? found.oid : undefined;
}

async function pathsBetween(git: Objects, from: string, to: string): Promise<string[]> {
  return (await git.diff(from, to)).flatMap(({ path, previousPath }) =>
    previousPath === undefined ? [path] : [path, previousPath],
  );
}

const FORCED = ['NON_FAST_FORWARD'] as const;

function branchOf(ref: string): string {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(ref) ?? [];
  if (branch === undefined) throw new Refused(422, 'Reference name is not supported here');
  if (!isBranch(branch)) throw new Refused(422, `${ref} is not a valid ref name.`);
  return branch;
}

function stale(expected: string): Refused {
  const message = `Expected branch to point to "${expected}" but it did not.  Pull and try again.`;
  return new Refused(409, message, { type: 'STALE_DATA' });
}

function fromBase64(contents: string): Buffer {
  const bytes = Buffer.from(contents, 'base64');
  const plain = contents.replace(/\s/g, '').replace(/=+$/, '');
  if (bytes.toString('base64').replace(/=+$/, '') === plain) return bytes;
  throw new Refused(422, 'A file contents value is not valid Base64.');
}
