import { parseCommit, toTimestamp } from './commits.ts';
import type { AppCredentials } from './credentials.ts';
import type { Author, FileDiff } from './git.ts';
import { APP_EVENTS, APP_PERMISSIONS } from './manifest.ts';
import type { Account, Installation, Membership, Repository, SimulatedRelease } from './model.ts';
import type { GitObject } from './object-reader.ts';
import { linksOf } from './rest-api.ts';
import type { World } from './world.ts';

export interface Places {
  readonly webUrl: string;
  readonly apiUrl: string;
}

type Json = Record<string, unknown>;

export function userJson(account: Account, { webUrl, apiUrl }: Places): Json {
  const url = `${apiUrl}/users/${encodeURIComponent(account.login)}`;
  const [, app] = /^(.*)\[bot\]$/.exec(account.login) ?? [];
  return {
    ...linksOf('simple-user', url),
    login: account.login,
    id: account.id,
    node_id: `U_${account.id}`,
    avatar_url: `${webUrl}/avatars/${account.id}`,
    gravatar_id: '',
    url,
    html_url: app === undefined ? `${webUrl}/${account.login}` : `${webUrl}/apps/${app}`,
    type: account.type,
    site_admin: false,
  };
}

export function publicUserJson(account: Account, places: Places): Json {
  return {
    ...userJson(account, places),
    name: account.name,
    company: null,
    blog: '',
    location: null,
    email: account.email,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

export function repositoryJson(
  repository: Repository,
  access: 'none' | 'read' | 'write' | 'admin' | undefined,
  world: World,
  places: Places,
): Json {
  const fullName = world.fullNameOf(repository);
  const url = `${places.apiUrl}/repos/${fullName}`;
  const html = `${places.webUrl}/${fullName}`;
  return {
    ...linksOf('full-repository', url),
    id: repository.id,
    node_id: `R_${repository.id}`,
    name: repository.name,
    full_name: fullName,
    owner: userJson(world.ownerOf(repository), places),
    private: repository.visibility !== 'public',
    visibility: repository.visibility,
    html_url: html,
    clone_url: `${html}.git`,
    git_url: `git://${new URL(places.webUrl).host}/${fullName}.git`,
    ssh_url: `git@${new URL(places.webUrl).hostname}:${fullName}.git`,
    svn_url: html,
    mirror_url: null,
    url,
    description: repository.description,
    homepage: null,
    language: null,
    license: null,
    fork: repository.fork,
    archived: repository.archived,
    disabled: repository.disabled,
    default_branch: repository.defaultBranch,
    topics: [],
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks: 0,
    forks_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    network_count: 0,
    subscribers_count: 0,
    stargazers_count: repository.stars,
    watchers: 0,
    watchers_count: 0,
    size: 0,
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    ...(access === undefined
      ? {}
      : {
          permissions: {
            admin: access === 'admin',
            maintain: access === 'admin',
            push: access !== 'read',
            triage: access !== 'read',
            pull: true,
          },
        }),
  };
}

export function securityJson({ settings }: Repository): Json {
  const toStatus = (isOn: boolean): Json => ({ status: isOn ? 'enabled' : 'disabled' });
  return {
    security_and_analysis: {
      secret_scanning: toStatus(settings.secretScanning),
      secret_scanning_push_protection: toStatus(settings.pushProtection),
    },
  };
}

export function installationJson(
  installation: Installation,
  app: AppCredentials,
  world: World,
  { webUrl, apiUrl }: Places,
): Json {
  const account = world.account(installation.accountId);
  if (account === undefined) throw new Error(`Installation ${installation.id} has no account.`);
  const url = `${apiUrl}/app/installations/${installation.id}`;
  return {
    id: installation.id,
    app_id: app.id,
    app_slug: app.slug,
    client_id: app.clientId,
    target_id: account.id,
    target_type: account.type,
    account: userJson(account, { webUrl, apiUrl }),
    repository_selection: installation.repositoryIds === null ? 'all' : 'selected',
    permissions: installation.permissions,
    events: APP_EVENTS,
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${apiUrl}/installation/repositories`,
    html_url: `${webUrl}/organizations/${account.login}/settings/installations/${installation.id}`,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: installation.suspendedAt,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
  };
}

export function appJson(app: AppCredentials, owner: Account, installations: number, places: Places): Json {
  return {
    id: app.id,
    slug: app.slug,
    node_id: `A_${app.id}`,
    client_id: app.clientId,
    owner: userJson(owner, places),
    name: app.slug,
    description: null,
    external_url: places.webUrl,
    html_url: `${places.webUrl}/apps/${app.slug}`,
    created_at: owner.createdAt,
    updated_at: owner.createdAt,
    permissions: APP_PERMISSIONS,
    events: APP_EVENTS,
    installations_count: installations,
  };
}

export function membershipJson(
  organization: Account,
  user: Account,
  { role, state }: Membership,
  places: Places,
): Json {
  const url = `${places.apiUrl}/orgs/${organization.login}`;
  return {
    url: `${url}/memberships/${user.login}`,
    state,
    role,
    organization_url: url,
    organization: {
      ...linksOf('organization-simple', url),
      login: organization.login,
      id: organization.id,
      node_id: `O_${organization.id}`,
      url,
      avatar_url: `${places.webUrl}/avatars/${organization.id}`,
      description: null,
    },
    user: userJson(user, places),
  };
}

export function commitJson(commit: GitObject, repository: Repository, world: World, places: Places): Json {
  const { oid: sha } = commit;
  const { tree, parents, author, committer, message } = parseCommit(commit);
  const fullName = world.fullNameOf(repository);
  const url = `${places.apiUrl}/repos/${fullName}`;
  const html = `${places.webUrl}/${fullName}/commit`;
  const isSigned = repository.signed.includes(sha);
  const toPerson = ({ name, email, date }: Author): Json => ({ name, email, date: toTimestamp(date) });
  const toUser = ({ email }: Author): Json | null => {
    const account = world.accountOfEmail(email);
    return account === undefined ? null : userJson(account, places);
  };
  return {
    url: `${url}/commits/${sha}`,
    sha,
    node_id: `C_${sha}`,
    html_url: `${html}/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    commit: {
      url: `${url}/git/commits/${sha}`,
      author: toPerson(author),
      committer: toPerson(committer),
      message,
      comment_count: 0,
      tree: { sha: tree, url: `${url}/git/trees/${tree}` },
      verification: {
        verified: isSigned,
        reason: isSigned ? 'valid' : 'unsigned',
        signature: null,
        payload: null,
        verified_at: isSigned ? toTimestamp(committer.date) : null,
      },
    },
    author: toUser(author),
    committer: toUser(committer),
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${url}/commits/${parent}`,
      html_url: `${html}/${parent}`,
    })),
  };
}

export function diffJson(file: FileDiff, at: string, repository: Repository, world: World, places: Places): Json {
  const { path, previousPath, status, oid, additions, deletions, patch } = file;
  const fullName = world.fullNameOf(repository);
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: oid,
    filename: path,
    status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${places.webUrl}/${fullName}/blob/${at}/${encoded}`,
    raw_url: `${places.webUrl}/${fullName}/raw/${at}/${encoded}`,
    contents_url: `${places.apiUrl}/repos/${fullName}/contents/${encoded}?ref=${at}`,
    ...(patch === undefined ? {} : { patch }),
    ...(previousPath === undefined ? {} : { previous_filename: previousPath }),
  };
}

export function refJson(ref: string, sha: string, repository: Repository, world: World, { apiUrl }: Places): Json {
  const git = `${apiUrl}/repos/${world.fullNameOf(repository)}/git`;
  const object = { type: 'commit', sha, url: `${git}/commits/${sha}` };
  return { ref, node_id: refId(repository, ref), url: `${git}/${ref}`, object };
}

export function refId({ id }: Repository, ref: string): string {
  return `REF_${id}_${Buffer.from(ref).toString('base64url')}`;
}

export function releaseJson(release: SimulatedRelease, repository: Repository, world: World, places: Places): Json {
  const { tag, publishedAt, immutable, prerelease = false } = release;
  const fullName = world.fullNameOf(repository);
  const id = repository.releases.indexOf(release) + 1;
  const url = `${places.apiUrl}/repos/${fullName}/releases/${id}`;
  return {
    ...linksOf('release', url),
    id,
    node_id: `RE_${repository.id}_${id}`,
    url,
    html_url: `${places.webUrl}/${fullName}/releases/tag/${tag}`,
    tag_name: tag,
    target_commitish: repository.defaultBranch,
    name: tag,
    body: null,
    draft: false,
    prerelease,
    immutable,
    created_at: publishedAt,
    published_at: publishedAt,
    author: userJson(world.ownerOf(repository), places),
    assets: [],
  };
}
