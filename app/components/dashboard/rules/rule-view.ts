import { type inferParserType, parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs';
import { SEVERITIES } from '../../../messages.ts';
import type { CatalogRule, RuleChanges } from './use-rules.ts';

export const TABS = { organization: 'Organization', repositories: 'Repositories', matrix: 'Matrix' } as const;

export const RULE_VIEW = {
  tab: parseAsStringLiteral(['organization', 'repositories', 'matrix'] as const).withDefault('organization'),
  q: parseAsString.withDefault(''),
  repo: parseAsString.withDefault(''),
  sev: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)).withDefault([]),
  show: parseAsStringLiteral(['off', 'differs', 'unsaved'] as const),
  page: parseAsInteger.withDefault(1),
};

export type RuleView = inferParserType<typeof RULE_VIEW>;

export interface Repository {
  readonly id: string;
  readonly full_name: string;
}

export interface TabProps {
  readonly catalog: readonly CatalogRule[];
  readonly repositories: readonly Repository[];
  readonly changes: RuleChanges;
  readonly view: RuleView;
  readonly onView: (change: { readonly [Name in keyof RuleView]?: RuleView[Name] | null }) => void;
}

export function matchingRules(catalog: readonly CatalogRule[], { q, sev }: Pick<RuleView, 'q' | 'sev'>): CatalogRule[] {
  const words = q.toLowerCase().split(/\s+/);
  return catalog.filter(
    ({ id, title, default_severity: severity }) =>
      (sev.length === 0 || sev.includes(severity)) &&
      words.every((word) => `${id} ${title}`.toLowerCase().includes(word)),
  );
}

export function matchingRepositories<Row extends Pick<Repository, 'full_name'>>(
  repositories: readonly Row[],
  { repo }: Pick<RuleView, 'repo'>,
): readonly Row[] {
  const wanted = repo.trim().toLowerCase();
  return repositories.filter(({ full_name: name }) => name.toLowerCase().includes(wanted));
}
