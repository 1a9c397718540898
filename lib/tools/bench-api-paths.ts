import { combos } from '#lib/combos/combos/index.ts';
import { filesOfExample } from '#lib/combos/example.ts';
import type * as scans from '#lib/db/queries/scans.ts';
import { parseEnv } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { type Outcome, runRules } from '#lib/services/scans/evaluate.ts';

const FREE = 10;

export function exampleOutcomes(owner: string): Outcome[] {
  return combos.flatMap(({ examples: { bad } }) =>
    bad.slice(0, 1).map((example) =>
      runRules(
        {
          scmId: '1',
          fullName: `${owner}/example`,
          htmlUrl: `https://example.com/${owner}/example`,
          visibility: 'public',
          archived: false,
          empty: false,
          defaultBranch: 'main',
          commit: 'a'.repeat(40),
          files: filesOfExample(example),
          unread: [],
          workflowFiles: 1,
        },
        { ruleset: 'all', disabledRules: [], settings: NO_FACTS.settings, asOf: 'seed' },
        parseEnv({}),
      ),
    ),
  );
}

export function syntheticScan(
  repo: string,
  fullName: string,
  user: string,
  fingerprints: readonly string[],
  { evidence, findings, completed, not_assessed }: Outcome,
): scans.NewScan {
  const severities = ['HIGH', 'MEDIUM', 'LOW', 'INFO'] as const;
  return {
    repo_id: repo,
    user_id: user,
    trigger: 'manual',
    ruleset: 'all',
    commit_sha: 'a'.repeat(40),
    workflow_files: 5,
    suppressed: 0,
    started_at: new Date().toISOString(),
    after_scan_id: null,
    digest: 'seed',
    tree: 'seed',
    completed,
    not_assessed,
    same_as: null,
    evidence,
    observed_tags: null,
    action_uses: null,
    diagnostics: { count: 0, first: [] },
    full_name: fullName,
    html_url: `https://example.com/${fullName}`,
    private: false,
    default_branch: 'main',
    archived: false,
    findings: fingerprints.map(
      (fingerprint, index) =>
        findings[index - FREE] ?? {
          fingerprint,
          rule_id: rules[index % rules.length]?.id ?? '',
          severity: severities[index % 4] ?? 'LOW',
          confidence: 'high',
          category: 'CICD-SEC-4',
          title: 'A finding',
          file: '.github/workflows/ci.yml',
          line: index + 1,
          column: 7,
          end_line: index + 1,
          end_column: 40,
          snippet: '      - run: echo "${{ github.event.issue.title }}"',
          description: 'A sentence of the usual length about what stands at this place and who may use it.',
          recommendation: 'A sentence of the usual length about what to do instead.',
          fixable: false,
        },
    ),
  };
}

interface Served {
  readonly web: string;
  readonly users: readonly { readonly token: string }[];
  readonly world: {
    readonly org: string;
    readonly repoIds: readonly string[];
    readonly fingerprints: readonly string[];
  };
}

export async function measurePaths({ web, users, world: { org, repoIds, fingerprints } }: Served): Promise<void> {
  let turn = 0;
  const call = async (path: string, method = 'GET', body?: unknown) => {
    const user = users[turn++ % users.length];
    const response = await fetch(`${web}${path}`, {
      method,
      headers: { authorization: `Bearer ${user?.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.text();
  };
  const all = () => call(`/api/attack-paths?org=${org}`);
  let page = 0;
  // A new limit each time, so that no answer comes from the cache of the instance.
  const first = () => call(`/api/attack-paths?org=${org}&limit=${50 + (page++ % 100)}`);
  const same = () => call(`/api/attack-paths?org=${org}&limit=50`);
  const of = (index: number) => repoIds[(index * 7) % repoIds.length];
  const rule = (index: number) =>
    call(`/api/rule-settings/unpinned-uses?org=${org}`, 'PUT', { enabled: index % 2 === 1 });
  const triage = (index: number) =>
    call(`/api/repositories/${of(index)}/findings/${fingerprints[1]}/status`, 'PUT', {
      status: index % 2 === 0 ? 'dismissed' : 'accepted',
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
  const override = (index: number) =>
    call(`/api/repositories/${of(index)}/rule-overrides/untrusted-checkout`, 'PUT', { enabled: false });
  const cases: readonly [string, number, (index: number) => Promise<unknown>, () => Promise<string>][] = [
    ['first page, nothing computed yet', 1, async () => {}, first],
    ['first page', 50, async () => {}, first],
    ['first page, unchanged', 50, async () => {}, same],
    ['first page, one finding triaged', 30, triage, first],
    ['first page, a rule overridden', 30, override, first],
    ['first page, a rule switched', 4, rule, first],
    ['all, nothing changed', 10, async () => {}, all],
    ['all, one finding triaged', 5, triage, all],
  ];
  process.stdout.write(`\nGET /api/attack-paths (${repoIds.length})      requests    MB   p50 ms   p95 ms   p99 ms\n`);
  for (const [name, count, before, read] of cases) {
    const times: number[] = [];
    let size = 0;
    for (let index = 0; index < count; index += 1) {
      await before(index);
      const start = performance.now();
      size = (await read()).length;
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
    const columns = [
      String(count).padStart(9),
      (size / 1e6).toFixed(1).padStart(6),
      ...[0.5, 0.95, 0.99].map((share) => at(share).padStart(9)),
    ];
    process.stdout.write(`${name.padEnd(33)}${columns.join('')}\n`);
  }
}
