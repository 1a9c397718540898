import { Category, Severity } from '#lib/db/shapes/common.ts';
import { isRuleset, type RuleFilter } from '#lib/services/rules/catalog.ts';
import { Surface } from './schemas/rules.ts';

type PageQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export const MAX_SEARCH_LENGTH = 100;

export function readRuleFilter(query: PageQuery): { readonly filter: RuleFilter; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const known = <Value extends string>(name: string, isValue: (text: string) => text is Value): Value[] =>
    valuesOf(query[name]).filter((text): text is Value => {
      if (isValue(text)) return true;
      unknown.push(`${name}=${text.slice(0, MAX_SEARCH_LENGTH)}`);
      return false;
    });
  const text = valuesOf(query['q']).join(' ').slice(0, MAX_SEARCH_LENGTH);
  const severities = known('severity', isSeverity);
  const [category] = known('category', isCategory);
  const [surface] = known('surface', isSurface);
  const [ruleset] = known('ruleset', isRuleset);
  return {
    filter: {
      ...(text === '' ? {} : { text }),
      ...(severities.length === 0 ? {} : { severities }),
      ...(category === undefined ? {} : { category }),
      ...(surface === undefined ? {} : { surface }),
      ...(ruleset === undefined ? {} : { ruleset }),
    },
    unknown,
  };
}

function valuesOf(value: PageQuery[string]): string[] {
  const values = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return values.map((text) => text.trim()).filter((text) => text !== '');
}

type Filled<Key extends keyof RuleFilter> = NonNullable<RuleFilter[Key]>;

const isSeverity = (text: string): text is Filled<'severities'>[number] => Severity.safeParse(text).success;
const isCategory = (text: string): text is Filled<'category'> => Category.safeParse(text).success;
const isSurface = (text: string): text is Filled<'surface'> => Surface.safeParse(text).success;
