import type { ScanTarget } from '#lib/db/queries/scans.ts';
import type { Ruleset } from '#lib/db/shapes/scans.ts';
import type { PublishedFacts, Source } from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { knownVersions } from '#lib/hosts/registries/packages/known-versions.ts';
import { readVersions } from '#lib/hosts/registries/packages/read-published.ts';
import { rulesThatNeed } from '#lib/scanner/rules-that-need.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import type { Needs } from './needs.ts';

const TIME_LIMIT_MS = 5_000;
const MAX_PACKAGES = 20;

/**
 * Looks up the npm and PyPI packages that a public repository publishes, if a target wants it. Never private ones,
 * whose names must not be sent to registries. Never throws for transient errors of the network.
 */
export async function lookUpPublished(
  services: Services,
  { installation_id: installation }: ScanTarget,
  snapshot: RepositorySnapshot,
  { manifests: paths }: Pick<Needs, 'manifests'>,
  isWanted: boolean,
): Promise<Source<PublishedFacts>> {
  const { packageRegistries, scm } = services.env;
  if (packageRegistries === null || !isWanted) return { missing: 'offline' };
  const started = performance.now();
  if (paths === undefined || snapshot.commit === null) return { value: { versions: new Map() } };
  if (snapshot.visibility !== 'public') return { missing: 'offline' };
  const { scmId, fullName, commit } = snapshot;
  const texts = await services.codeHostApp().readTexts(installation, { scmId, fullName, commit }, paths);
  if ('missing' in texts) return texts;
  const timeLimitMs = Math.max(0, Math.round(TIME_LIMIT_MS - (performance.now() - started)));
  const packages = await isolated(services, 'connected', 'findPackages', snapshot, { scm }, texts.value);
  const options = { ...packageRegistries, known: knownVersions, maxPackages: MAX_PACKAGES, timeLimitMs };
  return { value: await readVersions(packages, options) };
}

export function wantsPublished(targets: readonly ScanTarget[], ruleset: Ruleset): boolean {
  return rulesThatNeed('published', ruleset).some(({ id }) =>
    targets.some(({ disabled_rules: disabled }) => !disabled.includes(id)),
  );
}
