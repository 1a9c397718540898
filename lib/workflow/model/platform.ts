import { PLATFORM_FACTS, type PlatformFact } from '#lib/data/curated/platform-facts.ts';
import { compareVersions, parseVersion } from './versions.ts';

export type PlatformFactName = keyof typeof PLATFORM_FACTS;

export interface Platform {
  does(fact: PlatformFactName): boolean;
}

export const GITHUB_COM: Platform = { does: () => true };

/**
 * Returns the platform of a GitHub Enterprise Server version such as `3.19.2`; undefined for other text. Assumes
 * capabilities without a known release to be missing, which raises severities.
 */
export function enterpriseServer(version: string): Platform | undefined {
  const own = /^\d/.test(version) ? parseVersion(version) : undefined;
  if (own === undefined) return undefined;
  return {
    does(fact) {
      const { server }: PlatformFact = PLATFORM_FACTS[fact];
      const first = server === null ? undefined : parseVersion(server);
      return first !== undefined && compareVersions(own, first) >= 0;
    },
  };
}

export function factsOf(platform: Platform): string[] {
  return Object.keys(PLATFORM_FACTS).filter((name) => platform.does(name as PlatformFactName));
}

export function platformWith(facts: readonly string[]): Platform {
  const known: ReadonlySet<string> = new Set(facts);
  return { does: (fact) => known.has(fact) };
}
