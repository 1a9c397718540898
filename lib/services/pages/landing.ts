import { combos } from '#lib/combos/combos/index.ts';
import { incidents } from '#lib/data/curated/incidents.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { type CombinationPage, readCombinationPage } from './combination-page.ts';

const CARDS = ['spotbugs-2024', 'tj-actions-2025', 'cline-2026', 'tanstack-2026'];
const CHAIN = 'nx-s1ngularity-2025';

export interface IncidentCard {
  readonly what: string;
  readonly reference: string;
  readonly combination: { readonly id: string; readonly title: string };
}

export interface Landing {
  readonly rules: number;
  readonly attackPaths: number;
  readonly incidents: number;
  readonly cards: readonly IncidentCard[];
  readonly chain: (IncidentCard & { readonly page: CombinationPage }) | undefined;
}

export function describeLanding(): Landing {
  const chain = cardOf(CHAIN);
  const page = chain === undefined ? undefined : readCombinationPage(chain.combination.id);
  return {
    rules: rules.length,
    attackPaths: combos.length,
    incidents: incidents.filter(({ missed }) => missed === undefined).length,
    cards: CARDS.flatMap((id) => cardOf(id) ?? []),
    chain: chain === undefined || page === undefined ? undefined : { ...chain, page },
  };
}

function cardOf(id: string): IncidentCard | undefined {
  const incident = incidents.find((each) => each.id === id);
  const combo = combos.find((each) => each.id === incident?.combination);
  if (incident === undefined || combo === undefined) return undefined;
  const { what, reference } = incident;
  return { what, reference, combination: { id: combo.id, title: combo.title } };
}
