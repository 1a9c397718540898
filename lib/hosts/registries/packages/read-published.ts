import { type ProvenanceRegistry, packagesPublishedIn } from '#lib/analysis/publishing/published-packages.ts';
import type { PublishedFacts, PublishedVersion, Source, Unread } from '#lib/facts/facts.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Asking, readNpm, readPypi } from './answers.ts';
import type { knownVersions } from './known-versions.ts';
import { type Manifests, manifestPaths, type Names, namesOf } from './manifests.ts';
import { isPackageName } from './registries.ts';

export interface ReadPublishedOptions {
  readonly origin?: string | null;
  readonly maxPackages?: number;
  readonly timeLimitMs?: number;
  readonly known?: Pick<typeof knownVersions, 'get' | 'set'>;
}

const MAX_PACKAGES = 50;
const TIME_LIMIT_MS = 20_000;

interface Wanted {
  readonly registry: ProvenanceRegistry;
  readonly name: string;
  readonly workflows: Set<string>;
}

export interface PackagesPublished {
  readonly wanted: readonly Wanted[];
  readonly unread: readonly Unread[];
}

/**
 * Looks up the npm and PyPI packages that a repository's workflows publish, and their newest versions. `manifests`
 * reads the files that name packages; undefined if none can be read. Never throws and respects the time limit; failed
 * lookups have a reason.
 */
export async function readPublished(
  repository: Repository,
  manifests: () => Manifests | undefined,
  options: ReadPublishedOptions = {},
): Promise<PublishedFacts> {
  return readVersions(packagesOf(repository, manifests), options);
}

export async function readVersions(
  { wanted, unread: unnamed }: PackagesPublished,
  { origin = null, maxPackages = MAX_PACKAGES, timeLimitMs = TIME_LIMIT_MS, known }: ReadPublishedOptions = {},
): Promise<PublishedFacts> {
  const unread = [...unnamed];
  const asking: Asking = { origin, deadline: AbortSignal.timeout(timeLimitMs) };
  const answers = await Promise.all(
    wanted.map(async ({ registry, name }, index): Promise<Source<PublishedVersion | null>> => {
      if (index >= maxPackages) return { missing: 'rate_limited' };
      const before = known?.get(`${registry} ${name}`);
      if (before !== undefined) return before;
      const answer = await (registry === 'npm' ? readNpm(name, asking) : readPypi(name, asking));
      if ('value' in answer) known?.set(`${registry} ${name}`, answer);
      return answer;
    }),
  );
  const versions = new Map<string, PublishedVersion[]>();
  for (const [index, { registry, name, workflows }] of wanted.entries()) {
    const answer = answers[index] ?? { missing: 'offline' };
    if ('missing' in answer) {
      unread.push({ what: 'published', name: `${registry} ${name}`, reason: answer.missing });
      continue;
    }
    if (answer.value === null) continue;
    for (const path of workflows) versions.set(path, [...(versions.get(path) ?? []), answer.value]);
  }
  return { versions, unread };
}

export function manifestsNeeded({ workflows }: Repository): readonly string[] | undefined {
  const published = workflows.flatMap((workflow) => stepsOf(workflow).flatMap(packagesPublishedIn));
  return published.length === 0 ? undefined : [...new Set(published.flatMap(manifestPaths))];
}

export function packagesOf({ workflows }: Repository, findManifests: () => Manifests | undefined): PackagesPublished {
  const wanted = new Map<string, Wanted>();
  const unread: Unread[] = [];
  let manifests: Manifests | undefined | null = null;
  for (const workflow of workflows) {
    const { path } = workflow.source;
    for (const published of stepsOf(workflow).flatMap(packagesPublishedIn)) {
      const { registry } = published;
      if (manifests === null) manifests = findManifests();
      const { names, complete }: Names =
        manifests === undefined ? { names: [], complete: false } : namesOf(published, manifests);
      const usable = names.filter((name) => isPackageName(registry, name));
      for (const name of usable) {
        const key = `${registry} ${name}`;
        const known = wanted.get(key) ?? { registry, name, workflows: new Set() };
        known.workflows.add(path);
        wanted.set(key, known);
      }
      if (!complete || usable.length < names.length) {
        unread.push({ what: 'published', name: `${registry}, what ${path} publishes`, reason: 'offline' });
      }
    }
  }
  return { wanted: [...wanted.values()], unread };
}
