import { createUserDb } from '../../tests/support/data-api.ts';
import type { BenchService } from './bench-service.ts';

const REQUESTS = 20;
const PAGE_ROWS = 50;
const BUDGET_MS = { list: 50, count: 150, groups: 250 } as const;

type Kind = keyof typeof BUDGET_MS;

const searched = (text: string) => `%${text}${'%'.repeat(text.length)}`;

export async function measureReads({ config, users, world: { org } }: BenchService): Promise<void> {
  const db = createUserDb(config, users[0]?.token ?? '');
  const findings = () => db.from('current_findings').select('*').eq('org_id', org);
  const open = () => findings().eq('status', 'open');
  const pageOf = (ordered: ReturnType<typeof open>, number: number) =>
    ordered
      .order('repo_id')
      .order('fingerprint')
      .range(PAGE_ROWS * (number - 1), PAGE_ROWS * number - 1);
  const worst = { ascending: false };
  const page = (number: number) => pageOf(open().order('severity_rank', worst).order('first_seen_at', worst), number);
  const newest = () => pageOf(open().order('first_seen_at', { ascending: false }), 1);
  const byRepository = () => pageOf(open().order('full_name').order('severity_rank', worst), 1);
  const counted = () =>
    db
      .from('current_findings')
      .select('fingerprint', { count: 'exact', head: true })
      .eq('org_id', org)
      .eq('status', 'open');
  const groups = (by: string, filters = '{"status":["open"]}') =>
    db.rpc('read_finding_groups', { p_org_id: org, p_by: by, p_filters: filters });
  const repositories = () => db.from('repository_overview');
  const reads: readonly (readonly [string, Kind, () => PromiseLike<{ readonly error: unknown }>])[] = [
    ['findings, first page', 'list', () => page(1)],
    ['findings, page 100', 'count', () => page(100)],
    ['findings at HIGH, first page', 'list', () => page(1).eq('severity', 'HIGH')],
    ['findings of one rule, first page', 'list', () => page(1).eq('rule_id', 'unpinned-uses')],
    ['findings, counted', 'count', counted],
    ['findings at HIGH, counted', 'count', () => counted().eq('severity', 'HIGH')],
    ['findings, newest first', 'list', () => newest()],
    ['findings by repository', 'list', () => byRepository()],
    ['text in title or file, first page', 'count', () => page(1).like('search_text', searched('workflow'))],
    ['text in title or file, counted', 'count', () => counted().like('search_text', searched('workflow'))],
    ['text in few, counted', 'count', () => counted().like('search_text', searched('cache'))],
    ['totals by rule', 'groups', () => groups('rule')],
    ['totals by repository', 'groups', () => groups('repository')],
    ['totals of a text by rule', 'groups', () => groups('rule', '{"status":["open"],"q":"workflow"}')],
    ['totals at HIGH by rule', 'groups', () => groups('rule', '{"status":["open"],"severity":["HIGH"]}')],
    [
      'repositories, first page',
      'list',
      () =>
        repositories()
          .select('*')
          .eq('org_id', org)
          .order('full_name')
          .order('id')
          .range(0, PAGE_ROWS - 1),
    ],
    [
      'repositories, counted',
      'count',
      () => repositories().select('id', { count: 'exact', head: true }).eq('org_id', org),
    ],
    ['open over 90 days', 'groups', () => db.rpc('read_open_over_time', { p_org_id: org, p_days: 90 })],
    ['open by severity', 'list', () => db.rpc('read_open_counts', { p_org_id: org })],
    ['pulse', 'list', () => db.rpc('read_org_pulse', { p_org_id: org })],
  ];
  process.stdout.write('\nDashboard, one at a time           requests   p50 ms   p95 ms   budget\n');
  for (const [name, kind, read] of reads) {
    const times: number[] = [];
    for (let index = 0; index <= REQUESTS; index += 1) {
      const started = performance.now();
      const { error } = await read();
      if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`);
      if (index > 0) times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    const isKept = at(0.5) <= BUDGET_MS[kind];
    const columns = [String(REQUESTS), at(0.5).toFixed(0), at(0.95).toFixed(0), String(BUDGET_MS[kind])];
    process.stdout.write(
      `${name.padEnd(34)}${columns.map((column) => column.padStart(9)).join('')}${isKept ? '' : '  broken'}\n`,
    );
  }
}
