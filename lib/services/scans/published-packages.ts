import type { ScanTarget } from '#lib/db/queries/scans.ts';
import type { Ruleset } from '#lib/db/shapes/scans.ts';
import type { PublishedFacts, Source } from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { knownVersions } from '#lib/hosts/registries/packages/known-versions.ts';
import { manifestsNeeded, readPublished } from '#lib/hosts/registries/packages/read-published.ts';
import { rulesThatNeed } from '#lib/scanner/rules-that-need.ts';
import type { Services } from '../context.ts';
import { repositoryOf } from './evaluate.ts';

/** A push waits for its scan: anything unknown by then is reported as not assessed. */
const TIME_LIMIT_MS = 5_000;
const MAX_PACKAGES = 20;
const MAX_MANIFEST_LENGTH = 256 * 1024;

/**
 * Looks up the npm and PyPI packages that a public repository publishes, if a target wants it. Never private ones,
 * whose names must not be sent to registries. Never throws for transient errors.
 */
export async function lookUpPublished(
  services: Services,
  { installation_id: installation }: ScanTarget,
  snapshot: RepositorySnapshot,
  isWanted: boolean,
): Promise<Source<PublishedFacts>> {
  const { packageRegistries } = services.env;
  if (packageRegistries === null || !isWanted) return { missing: 'offline' };
  const deadline = performance.now() + TIME_LIMIT_MS;
  const repository = repositoryOf(snapshot, services.env);
  const paths = manifestsNeeded(repository);
  if (paths === undefined || snapshot.commit === null) return { value: { versions: new Map() } };
  if (snapshot.visibility !== 'public') return { missing: 'offline' };
  const { scmId, fullName, commit } = snapshot;
  const texts = await services.codeHostApp().readTexts(installation, { scmId, fullName, commit }, paths);
  if ('missing' in texts) return texts;
  const manifests = {
    paths: new Set(texts.value.keys()),
    partial: true,
    read: (path: string) => {
      const text = texts.value.get(path);
      return text === undefined || text.length > MAX_MANIFEST_LENGTH ? undefined : text;
    },
  } as const;
  const timeLimitMs = Math.max(0, Math.round(deadline - performance.now()));
  const options = { ...packageRegistries, known: knownVersions, maxPackages: MAX_PACKAGES, timeLimitMs };
  return { value: await readPublished(repository, () => manifests, options) };
}

export function wantsPublished(targets: readonly ScanTarget[], ruleset: Ruleset): boolean {
  return rulesThatNeed('published', ruleset).some(({ id }) =>
    targets.some(({ disabled_rules: disabled }) => !disabled.includes(id)),
  );
}
