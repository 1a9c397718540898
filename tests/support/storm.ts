import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Company, ConnectedService } from './connected-service.ts';

export interface Delivery {
  readonly id: string;
  readonly body: string;
}

export interface Monitored {
  readonly id: string;
  readonly scmId: number;
  readonly fullName: string;
}

export function filesOf(repository: string, version = 0): Readonly<Record<string, string>> {
  return {
    [`.github/workflows/${repository.replaceAll('/', '-')}.yml`]: `on: [pull_request_target]
jobs:
  v${version}:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
`,
  };
}

export async function monitored(service: ConnectedService, company: Company, count: number): Promise<Monitored[]> {
  const { login } = company.account;
  const names = Array.from({ length: count }, (_, index) => `${login}/r${index}`);
  const made = await service.host.addRepositories(
    names.map((fullName) => ({ fullName, files: filesOf(fullName), visibility: 'private' as const })),
  );
  const ids = await service.connect(company);
  await service.database.sql(
    'update public.repositories set monitored = true, monitored_by = user_id where user_id = $1',
    [company.admin.id],
  );
  return made.map(({ id: scmId }, index) => ({
    scmId,
    fullName: names[index] ?? '',
    id: ids.get(names[index] ?? '') ?? '',
  }));
}

export function pushDelivery(scmId: number, after: string): Delivery {
  const repository = { id: scmId, default_branch: 'main' };
  return { id: randomUUID(), body: JSON.stringify({ ref: 'refs/heads/main', after, repository }) };
}

export function deliver(
  service: ConnectedService,
  { id, body }: Delivery,
  url = service.instances?.url,
): Promise<Response> {
  const signature = createHmac('sha256', service.host.app.webhookSecret).update(body).digest('hex');
  return fetch(`${url}/api/webhooks/scm`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
}

export function scan(service: ConnectedService, token: string, repoId: string): Promise<Response> {
  return fetch(`${service.instances?.url}/api/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ repo_id: repoId }),
  });
}

export async function inconsistencies({ database }: ConnectedService): Promise<Record<string, unknown>> {
  const [row] = await database.sql(`select
    (select count(*)::int from public.scans s join public.repositories r on r.id = s.repo_id
     where s.org_id <> r.org_id) as scans_of_others,
    (select count(*)::int from public.findings f join public.repositories r on r.id = f.repo_id
     where f.org_id <> r.org_id or f.file <> '.github/workflows/' || replace(r.full_name, '/', '-') || '.yml')
      as findings_of_others,
    (select count(*)::int from public.finding_ledger l join public.repositories r on r.id = l.repo_id
     where l.org_id <> r.org_id) as ledger_of_others,
    (select count(*)::int from (
       select from public.findings group by scan_id, fingerprint having count(*) > 1) as twice) as findings_twice,
    (select count(*)::int from public.repositories r
     where r.id in (select repo_id from public.scans)
       and (select sum(s.new_findings) from public.scans s where s.repo_id = r.id)
         <> (select count(*) from public.finding_ledger l where l.repo_id = r.id)) as new_twice,
    (select count(*)::int from public.scans s
     where s.findings <> (select count(*) from public.findings f where f.scan_id = s.id)) as half_scans`);
  return row ?? {};
}

export const CONSISTENT = {
  scans_of_others: 0,
  findings_of_others: 0,
  ledger_of_others: 0,
  findings_twice: 0,
  new_twice: 0,
  half_scans: 0,
};

export async function behind(service: ConnectedService, repositories: readonly Monitored[]): Promise<string[]> {
  const rows = await service.database.sql<{ full_name: string; commit_sha: string | null }>(
    `select r.full_name, s.commit_sha from public.repositories r left join public.scans s on s.id = r.last_scan_id`,
  );
  const scanned = new Map(rows.map(({ full_name, commit_sha }) => [full_name, commit_sha]));
  const heads = await Promise.all(
    repositories.map(async ({ fullName }) => {
      const repository = service.host.world.repository(fullName);
      expect(repository).toBeDefined();
      const head = repository && (await service.host.world.git(repository).object('refs/heads/main'))?.oid;
      return scanned.get(fullName) === head ? [] : [fullName];
    }),
  );
  return heads.flat();
}
