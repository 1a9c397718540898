import type { ActionFacts, NetworkFacts } from '#lib/facts/facts.ts';

/** Hijacked releases were mostly found within a week: https://docs.github.com/code-security/dependabot/working-with-dependabot/dependabot-options-reference#cooldown- */
export const COOL_DOWN_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/**
 * Days since the commit of a release that a fix would move to was made, when they are fewer than {@link COOL_DOWN_DAYS};
 * undefined for an older one, and where the age is not known. A pin of what a ref names already moves to nothing.
 */
export function tooYoung(network: NetworkFacts, { dates }: ActionFacts, commit: string): number | undefined {
  const made = dates?.get(commit);
  const days = made === undefined || network.at === undefined ? undefined : (network.at - made) / DAY_MS;
  return days !== undefined && days < COOL_DOWN_DAYS ? Math.max(0, Math.floor(days)) : undefined;
}
