import pMap from 'p-map';
import { combos } from '#lib/combos/combos/index.ts';
import { coverageOfGroups } from '#lib/combos/coverage.ts';
import { coverageJson, pathJson } from '#lib/combos/path-json.ts';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import { AppError } from '#lib/errors.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Services } from '../context.ts';
import { pathEngine, refreshPaths } from './refresh.ts';

const MAX_ROUNDS = 10;

const PAGE = 500;
const MAX_CONCURRENT = 2;

const byId = new Map(combos.map((combo) => [combo.id, combo]));

/**
 * Returns the paths of an organization under current settings and triage. `keptOf` returns the caller's cached reply
 * with its tag; an equal tag makes it the result.
 */
export async function listAttackPaths<Kept extends { readonly tag: string }>(
  services: Services,
  user: organizations.Caller,
  org: string | undefined,
  keptOf: (orgId: string) => Kept | undefined,
): Promise<
  | { readonly kept: Kept }
  | {
      readonly kept: undefined;
      readonly orgId: string;
      readonly tag: string;
      readonly paths: ReturnType<typeof describePaths>;
    }
> {
  const db = services.adminDb();
  const { id: orgId } = await organizations.resolve(db, user, org ?? null);
  const kept = keptOf(orgId);
  const engine = { ...pathEngine(services), tag: kept?.tag ?? null };
  const ask = () => attackPaths.ofOrganization(db, user.id, orgId, engine);
  const known = await upToDate<{ readonly tag: string }>(services, user.id, ask);
  if ('repos' in known) return { kept: undefined, orgId, tag: known.tag, paths: describePaths(known) };
  if (kept === undefined) throw new AppError('internal', 'The database omitted attack paths that are not cached.');
  return { kept };
}

export async function listRepositoryPaths(services: Services, user: organizations.Caller, repoId: string) {
  const db = services.adminDb();
  const ask = () => attackPaths.ofRepository(db, user.id, repoId, pathEngine(services));
  const known = await upToDate<never>(services, user.id, ask);
  const { repos, total_combos: _, ...rest } = describePaths(known);
  const neverScanned = known.coverage.length === 0;
  return { combos: repos[0]?.combos ?? [], ...rest, ...(neverScanned ? { coverage: [] } : {}) };
}

interface KnownPaths extends Omit<attackPaths.KnownPaths, 'repos'> {
  readonly repos: readonly (attackPaths.RepositoryWithPaths & attackPaths.StoredPaths)[];
}

async function upToDate<Unchanged extends object>(
  services: Services,
  userId: string,
  ask: () => Promise<attackPaths.Stale | attackPaths.KnownPaths | Unchanged>,
): Promise<KnownPaths | Unchanged> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = await ask();
    if ('stale' in answer) await refreshPaths(services, answer.stale);
    else if (!('repos' in answer)) return answer;
    else {
      const repos = await readAll(services, userId, answer);
      if (repos.length === answer.repos.length) return { ...answer, repos };
    }
  }
  throw new AppError('internal', 'Scans and settings changed faster than attack paths could be computed.');
}

async function readAll(services: Services, userId: string, { org_id: orgId, repos }: attackPaths.KnownPaths) {
  const pages = Array.from({ length: Math.ceil(repos.length / PAGE) }, (_, n) => repos.slice(n * PAGE, (n + 1) * PAGE));
  const read = (page: typeof repos) => attackPaths.readStored(services.adminDb(), userId, orgId, page);
  const stored = (await pMap(pages, read, { concurrency: MAX_CONCURRENT })).flat();
  const byRepository = new Map(stored.map((each) => [each.repo_id, each]));
  return repos.flatMap((repository) => {
    const found = byRepository.get(repository.repo_id);
    return found === undefined ? [] : [{ ...repository, ...found }];
  });
}

function describePaths({ repos, coverage }: Pick<KnownPaths, 'repos' | 'coverage'>) {
  const all = repos.flatMap(({ paths }) => paths);
  return {
    repos: repos.map((repository) => ({
      repo_id: repository.repo_id,
      full_name: repository.full_name,
      html_url: repository.html_url,
      combos: repository.paths.map((path) => describePath(path, repository.findings)),
    })),
    total_combos: all.length,
    critical_count: all.filter(({ severity }) => severity === 'CRITICAL').length,
    high_count: all.filter(({ severity }) => severity === 'HIGH').length,
    coverage: describeCoverage(coverage),
    fix_first: repos.flatMap(describeFixes).sort(byUse),
  };
}

function describePath(
  { id, severity, scope, file, break_rule, stages, components, mitigated_by, accepted }: attackPaths.StoredPath,
  findings: attackPaths.StoredPaths['findings'],
) {
  const combo = byId.get(id);
  if (combo === undefined) throw new AppError('internal', `The stored combination ${id} is not one of this engine.`);
  const path = {
    comboId: id,
    title: combo.title,
    severity,
    scope,
    file,
    impact: combo.impact,
    breakChain: combo.breakChain.text,
    breakChainRule: break_rule,
    stages: combo.stages.map(({ title, description }, order) => ({
      order,
      title,
      description,
      ruleId: stages[order] ?? null,
    })),
    mitigatedBy: mitigated_by,
    containsAcceptedRisk: accepted,
  };
  return pathJson(
    path,
    components.flatMap((fingerprint) => {
      const finding = findings[fingerprint];
      return finding === undefined ? [] : [{ rule_id: finding.rule_id, finding }];
    }),
  );
}

function describeCoverage(groups: readonly attackPaths.CoverageGroup[]) {
  const counted = groups.map(({ missing, repos, matched }) => ({
    notAssessed: missing.map(({ rule_id, reason }) => ({ ruleId: rule_id, reason })),
    count: repos,
    matched: new Map(Object.entries(matched)),
  }));
  return coverageOfGroups(counted).map(coverageJson);
}

function describeFixes({ repo_id, findings, fix_first: fixes }: attackPaths.StoredPaths) {
  return fixes.map(({ fingerprint, rule_id, breaks }) => {
    const { file = null, line = null } = findings[fingerprint] ?? {};
    return { fingerprint, rule_id, repo_id, file, line, breaks };
  });
}

type Fix = ReturnType<typeof describeFixes>[number];

function byUse(a: Fix, b: Fix): number {
  return b.breaks - a.breaks || compareText(a.repo_id, b.repo_id) || compareText(a.fingerprint, b.fingerprint);
}
