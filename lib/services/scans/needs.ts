import type { Env } from '#lib/env.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { manifestsNeeded, type PackagesPublished, packagesOf } from '#lib/hosts/registries/packages/read-published.ts';
import { actionsUsedBy, type UsedAction } from '#lib/workflow/model/action-uses.ts';
import { repositoryOf } from './evaluate.ts';

export interface Needs {
  readonly actions: readonly UsedAction[];
  readonly manifests: readonly string[] | undefined;
}

export function needsOf(snapshot: RepositorySnapshot, env: Pick<Env, 'scm'>): Needs {
  const repository = repositoryOf(snapshot, env);
  return { actions: actionsUsedBy(repository), manifests: manifestsNeeded(repository) };
}

const MAX_MANIFEST_LENGTH = 256 * 1024;

export function findPackages(
  snapshot: RepositorySnapshot,
  env: Pick<Env, 'scm'>,
  texts: ReadonlyMap<string, string | undefined>,
): PackagesPublished {
  const read = (path: string): string | undefined => {
    const text = texts.get(path);
    return text === undefined || text.length > MAX_MANIFEST_LENGTH ? undefined : text;
  };
  const manifests = { paths: new Set(texts.keys()), partial: true, read } as const;
  return packagesOf(repositoryOf(snapshot, env), () => manifests);
}
