import type { ActionFacts, NetworkFacts } from '#lib/facts/facts.ts';

/** Most hijacked releases are discovered within a week: https://docs.github.com/code-security/dependabot/working-with-dependabot/dependabot-options-reference#cooldown- */
export const COOL_DOWN_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

export function tooYoung(network: NetworkFacts, { dates }: ActionFacts, commit: string): number | undefined {
  const made = dates?.get(commit);
  const days = made === undefined || network.at === undefined ? undefined : (network.at - made) / DAY_MS;
  return days !== undefined && days < COOL_DOWN_DAYS ? Math.max(0, Math.floor(days)) : undefined;
}
