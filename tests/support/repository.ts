import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { AdminDb } from '#lib/db/clients.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as scans from '#lib/db/queries/scans.ts';
import type { Role } from '#lib/db/shapes/organizations.ts';
import type { Finding, OpenCounts } from '#lib/db/shapes/scans.ts';
import type { TestDatabase } from './database.ts';

export interface Team {
  readonly orgId: string;
  readonly admin: organizations.Caller;
  readonly installationId: string;
}

export interface TestRepository extends Team {
  readonly repoId: string;
  readonly scmId: string;
}

export const person = (): organizations.Caller => ({ id: randomUUID(), email: `${randomUUID()}@example.com` });

export async function join(db: AdminDb, team: Team, role: Role = 'member'): Promise<organizations.Caller> {
  const who = person();
  const invite = { orgId: team.orgId, email: who.email ?? '', role };
  const { invite_id: id } = await organizations.createInvite(db, team.admin.id, invite);
  await organizations.acceptInvite(db, who, id);
  return who;
}

export async function makeTeam(db: AdminDb): Promise<Team> {
  const admin = person();
  const { id: orgId } = await organizations.create(db, admin, 'Team');
  const installationId = await link(db, { orgId, admin });
  return { orgId, admin, installationId };
}

export async function link(db: AdminDb, { orgId, admin }: Pick<Team, 'orgId' | 'admin'>): Promise<string> {
  const id = String(randomInt(1e6, 1e12));
  const installation = { installation_id: id, account: 'acme', account_type: 'Organization' } as const;
  await repositories.linkInstallation(db, admin.id, orgId, installation);
  return id;
}

type ListedRepository = repositories.Listing['listed'][number]['repositories'][number];

export function listed(more: Partial<ListedRepository> = {}): ListedRepository {
  const scmId = String(randomInt(1e6, 1e12));
  return {
    scm_id: scmId,
    full_name: `acme/r${scmId}`,
    private: true,
    html_url: `https://example.com/acme/r${scmId}`,
    default_branch: 'main',
    archived: false,
    ...more,
  };
}

export async function makeRepository(db: AdminDb, given?: Team): Promise<TestRepository> {
  const team = given ?? (await makeTeam(db));
  const [repository] = await addRepositories(db, team, [listed()]);
  if (repository === undefined) throw new Error('The repository did not come in.');
  return repository;
}

export async function addRepositories(
  db: AdminDb,
  team: Team,
  added: readonly ListedRepository[],
): Promise<readonly TestRepository[]> {
  const { orgId, admin, installationId } = team;
  const fresh = await link(db, team);
  const answer = [{ installation_id: fresh, repositories: added }];
  const rows = await repositories.sync(db, admin.id, orgId, { listed: answer, gone: [] });
  return added.map(({ scm_id: scmId, full_name: name }) => {
    const repoId = rows.find((row) => row.full_name === name)?.id ?? '';
    return { orgId, admin, installationId, repoId, scmId };
  });
}

export const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex');

export function finding(name: string, more: Partial<Finding> = {}): Finding {
  return {
    fingerprint: fingerprint(name),
    rule_id: 'unpinned-uses',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    title: 'Title',
    file: '.github/workflows/ci.yml',
    line: 3,
    column: 5,
    end_line: 3,
    end_column: 40,
    snippet: 'uses: a/b@v1',
    description: 'Description.',
    recommendation: 'Recommendation.',
    fixable: true,
    ...more,
  };
}

export async function prepareScan(
  db: AdminDb,
  { repoId, admin }: TestRepository,
  findings: readonly Finding[],
  more: Partial<scans.NewScan> = {},
): Promise<scans.NewScan> {
  const target = await scans.getTarget(db, admin.id, repoId);
  return {
    repo_id: repoId,
    user_id: admin.id,
    trigger: 'manual',
    ruleset: 'all',
    commit_sha: 'a'.repeat(40),
    workflow_files: 1,
    suppressed: 0,
    started_at: new Date().toISOString(),
    after_scan_id: target.last_scan?.scan_id ?? null,
    digest: 'digest',
    tree: 'tree',
    completed: [...new Set(findings.map(({ rule_id }) => rule_id)), 'unpinned-uses'],
    not_assessed: [],
    same_as: null,
    evidence: null,
    observed_tags: null,
    action_uses: null,
    diagnostics: { count: 0, first: [] },
    findings,
    full_name: target.full_name,
    html_url: `https://example.com/${target.full_name}`,
    private: true,
    default_branch: 'main',
    archived: false,
    ...more,
  };
}

export async function scan(
  db: AdminDb,
  repository: TestRepository,
  findings: readonly Finding[],
  more: Partial<scans.NewScan> = {},
): Promise<scans.StoredScan> {
  const stored = await scans.persist(db, await prepareScan(db, repository, findings, more));
  if (stored === null) throw new Error('The scan was stale.');
  return stored;
}

export async function readCounts(
  database: TestDatabase,
  repoId: string,
): Promise<{ readonly counted: OpenCounts; readonly kept: OpenCounts }> {
  const severities = ['high', 'medium', 'low', 'info'] as const;
  const [row] = await database.sql<{ counted: OpenCounts; kept: OpenCounts }>(
    `select
       jsonb_build_object(${severities.map((each) => `'${each}', s.${each}`).join()}) as kept,
       (select jsonb_build_object(${severities
         .map((each) => `'${each}', count(*) filter (where f.severity = '${each.toUpperCase()}')`)
         .join()})
        from public.findings f join public.finding_ledger l using (repo_id, fingerprint)
        where f.scan_id = s.id and l.status = 'open') as counted
     from public.repositories r join public.scans s on s.id = r.last_scan_id where r.id = $1`,
    [repoId],
  );
  if (row === undefined) throw new Error('The repository has no scan.');
  return row;
}
