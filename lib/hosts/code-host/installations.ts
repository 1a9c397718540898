import * as z from 'zod/mini';
import { Id, understand, unless } from './answers.ts';
import type { Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import type { Installation, ListedRepository } from './port.ts';
import { parseFullName, type RepositoryName } from './repository-name.ts';

const PER_PAGE = 100;
const MAX_PAGES = 1_000;

const InstallationAnswer = z.object({
  id: Id,
  suspended_at: z.optional(z.nullable(z.string())),
  account: z.nullable(z.object({ id: Id, login: z.optional(z.string()), type: z.optional(z.string()) })),
});

const GrantsAnswer = z.object({ permissions: z.record(z.string(), z.string()) });

const Named = z.object({ full_name: z.string() });

const ListAnswer = z.object({
  total_count: z.number(),
  repositories: z.array(
    z.object({
      id: Id,
      full_name: z.string(),
      private: z.boolean(),
      html_url: z.string(),
      default_branch: z.optional(z.nullable(z.string())),
      archived: z.optional(z.boolean()),
    }),
  ),
});

export async function readInstallation(asApp: Client, installationId: string): Promise<Installation | null> {
  const read = asApp.read('/app/installations/{installation_id}', { installation_id: installationId });
  const answer = await unless(['missing'], read);
  return answer === undefined ? null : toInstallation(understand(InstallationAnswer, answer));
}

export async function readGrants(asApp: Client, installationId: string): Promise<Readonly<Record<string, string>>> {
  const answer = await asApp.read('/app/installations/{installation_id}', { installation_id: installationId });
  return understand(GrantsAnswer, answer).permissions;
}

export async function readOwnPermissions(asApp: Client): Promise<Readonly<Record<string, string>>> {
  return understand(GrantsAnswer, await asApp.read('/app')).permissions;
}

export async function findInstallationId(asApp: Client, { owner, name }: RepositoryName): Promise<string | null> {
  const answer = await unless(['missing'], asApp.read('/repos/{owner}/{repo}/installation', { owner, repo: name }));
  return answer === undefined ? null : String(understand(InstallationAnswer, answer).id);
}

export async function findName(client: Client, scmId: string): Promise<RepositoryName | undefined> {
  if (!/^\d{1,20}$/.test(scmId)) return undefined;
  // The code host redirects former names here.
  const answer = await unless(['missing'], client.read('/repositories/{id}', { id: scmId }));
  return answer === undefined ? undefined : parseFullName(understand(Named, answer).full_name);
}

export async function listAll(client: Client): Promise<ListedRepository[]> {
  const first = await readList(client);
  // Repositories can move between pages during the read; a second read finds them.
  const found = first.isConsistent ? first.found : new Map([...first.found, ...(await readList(client)).found]);
  return [...found.values()];
}

async function readList(client: Client): Promise<{ found: Map<string, ListedRepository>; isConsistent: boolean }> {
  const first = await readPage(client, 1);
  const pages = Math.ceil(first.total_count / PER_PAGE);
  if (pages > MAX_PAGES) throw new CodeHostFailure('unexpected', `The list is said to have ${pages} pages.`);
  const numbers = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2);
  const all = [first, ...(await Promise.all(numbers.map((number) => readPage(client, number))))];
  const found = new Map(
    all.flatMap(({ repositories }) => repositories.map((each) => [String(each.id), toListed(each)] as const)),
  );
  return { found, isConsistent: all.every(({ total_count }) => total_count === found.size) };
}

async function readPage(client: Client, page: number): Promise<z.infer<typeof ListAnswer>> {
  return understand(ListAnswer, await client.read('/installation/repositories', { per_page: PER_PAGE, page }));
}

function toListed(listed: z.infer<typeof ListAnswer>['repositories'][number]): ListedRepository {
  return {
    scmId: String(listed.id),
    fullName: listed.full_name,
    private: listed.private,
    htmlUrl: listed.html_url,
    defaultBranch: listed.default_branch ?? null,
    archived: listed.archived ?? false,
  };
}

function toInstallation({ id, account, suspended_at }: z.infer<typeof InstallationAnswer>): Installation | null {
  const { login, type } = account ?? {};
  // Enterprises have no login and own no repositories.
  if (account === null || login === undefined || (type !== 'User' && type !== 'Organization')) return null;
  return {
    id: String(id),
    account: login,
    accountId: String(account.id),
    accountType: type,
    suspended: typeof suspended_at === 'string',
  };
}
