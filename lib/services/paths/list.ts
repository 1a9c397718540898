import pMap from 'p-map';
import { combos } from '#lib/combos/combos/index.ts';
import { coverageOfGroups } from '#lib/combos/coverage.ts';
import { fixFirst } from '#lib/combos/fix-first.ts';
import { comboSeverityRank } from '#lib/combos/match.ts';
import { coverageJson, pathJson } from '#lib/combos/path-json.ts';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import { AppError } from '#lib/errors.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Services } from '../context.ts';
import { MIN_COMPUTED, pathEngine, refreshPaths } from './refresh.ts';

const MAX_ROUNDS = 10;
const COMPUTE_MS = 2_000;
const RETRY_SECONDS = 1;

const PAGE = 500;
const MAX_CONCURRENT = 2;

const byId = new Map(combos.map((combo) => [combo.id, combo]));

export interface KnownReplies {
  /** Returns the tag of a reply that the caller has and that is probably current. */
  readonly likely: (orgId: string) => string | undefined;
  readonly has: (tag: string) => boolean;
}

/**
 * Returns the paths of an organization under current settings and triage, only the worst `limit` of them if given. If
 * the caller has the reply with their tag, the result is the tag alone. Throws `not-configured` with
 * `retryAfterSeconds` if more of them are outdated than can be computed within two seconds; the next call continues.
 */
export async function listAttackPaths(
  services: Services,
  user: organizations.Caller,
  { org, limit }: { readonly org?: string | undefined; readonly limit?: number | undefined },
  replies: KnownReplies,
): Promise<
  | { readonly tag: string; readonly paths: null }
  | { readonly tag: string; readonly paths: ReturnType<typeof describePaths>; readonly orgId: string }
> {
  const db = services.adminDb();
  const { id: orgId } = await organizations.resolve(db, user, org ?? null);
  const engine = { ...pathEngine(services), tag: replies.likely(orgId) ?? null, limit: limit ?? null };
  const ask = async () => {
    const answer = await attackPaths.ofOrganization(db, user.id, orgId, engine);
    return 'tag' in answer && replies.has(answer.tag) ? { tag: answer.tag } : answer;
  };
  const known = await upToDate<{ readonly tag: string }>(services, user.id, ask);
  if ('repos' in known) return { tag: known.tag, paths: describePaths(known, limit), orgId };
  return { tag: known.tag, paths: null };
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
  const deadline = performance.now() + COMPUTE_MS;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = await ask();
    if ('stale' in answer) {
      const isLate = round > 0 && performance.now() > deadline;
      if (isLate && answer.stale.length > MIN_COMPUTED) throw stillComputing(answer);
      await refreshPaths(services, answer.stale, deadline);
    } else if (!('repos' in answer)) return answer;
    else {
      const repos = await readAll(services, userId, answer);
      if (repos.length === answer.repos.length) return { ...answer, repos };
    }
  }
  throw new AppError('internal', 'Scans and settings changed faster than attack paths could be computed.');
}

function stillComputing({ stale, scanned }: attackPaths.Stale): AppError {
  const message = `Attack paths of ${scanned - stale.length} of ${scanned} repositories are computed so far.`;
  return new AppError('not-configured', message, { retryAfterSeconds: RETRY_SECONDS });
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

type DescribedPaths = Pick<KnownPaths, 'repos' | 'coverage' | 'total' | 'critical' | 'high'>;

function describePaths({ repos, coverage, total, critical, high }: DescribedPaths, limit?: number) {
  const shown = limit === undefined ? repos : worstOf(repos, limit);
  return {
    repos: shown.map((repository) => ({
      repo_id: repository.repo_id,
      full_name: repository.full_name,
      html_url: repository.html_url,
      combos: repository.paths.map((path) => describePath(path, repository.findings)),
    })),
    total_combos: total,
    critical_count: critical,
    high_count: high,
    coverage: describeCoverage(coverage),
    fix_first: describeFixes(shown),
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
  const counted = groups.map(({ gaps, disabled, repos, matched }) => {
    const off = new Set(disabled);
    const blind = gaps.flatMap(({ rule_id: ruleId, reason }) => (off.has(ruleId) ? [] : [{ ruleId, reason }]));
    const switchedOff = disabled.map((ruleId) => ({ ruleId, reason: 'disabled' as const }));
    return { notAssessed: [...switchedOff, ...blind], count: repos, matched: new Map(Object.entries(matched)) };
  });
  return coverageOfGroups(counted).map(coverageJson);
}

type Repositories = KnownPaths['repos'];

function worstOf(repos: Repositories, limit: number): Repositories {
  const worst = repos
    .flatMap(({ paths }) => paths)
    .sort(
      (a, b) =>
        comboSeverityRank(a.severity) - comboSeverityRank(b.severity) ||
        compareText(a.id, b.id) ||
        compareText(a.file ?? '\uFFFF', b.file ?? '\uFFFF'),
    );
  const shown = new Set(worst.slice(0, limit));
  return repos.flatMap((repository) => {
    const paths = repository.paths.filter((path) => shown.has(path));
    return paths.length === 0 ? [] : [{ ...repository, paths }];
  });
}

function describeFixes(repos: Repositories) {
  const repositories = repos.map(({ repo_id: repoId, full_name: name, paths, findings }) => ({
    id: repoId,
    name,
    findings: new Map(Object.entries(findings)),
    paths: paths.map(({ severity, cuts, components }) => ({
      severity,
      cuts: cuts.map((cut) => cut.flatMap((place) => components[place] ?? [])),
    })),
  }));
  return fixFirst(repositories).map(({ repository, finding, breaks }) => ({
    fingerprint: finding.fingerprint,
    rule_id: finding.rule_id,
    repo_id: repository,
    file: finding.file,
    line: finding.line,
    breaks,
  }));
}
