import { PLATFORM_FACTS, type PlatformFact } from '#lib/data/platform-facts.ts';
import { compareVersions, parseVersion } from './versions.ts';

export type PlatformFactName = keyof typeof PLATFORM_FACTS;

/** Where the workflows run: what it is known to do of itself. */
export interface Platform {
  does(fact: PlatformFactName): boolean;
}

/** github.com as it is today. */
export const GITHUB_COM: Platform = { does: () => true };

/**
 * A GitHub Enterprise Server of this version, `3.19` or `3.19.2`. A fact that no release is known to have is taken for
 * missing, which grades findings higher. Undefined for a text that is no version.
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

/** The names of what a platform is known to do, for handing it to another thread. */
export function factsOf(platform: Platform): string[] {
  return Object.keys(PLATFORM_FACTS).filter((name) => platform.does(name as PlatformFactName));
}

/** The platform that {@link factsOf} named. */
export function platformWith(facts: readonly string[]): Platform {
  const known: ReadonlySet<string> = new Set(facts);
  return { does: (fact) => known.has(fact) };
}
