import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import { valueOf, type YamlMapping, type YamlNode, type YamlScalar } from '#lib/workflow/yaml/parse.ts';
import { memoByNode } from '../memo.ts';
import { ANY_EVENT, holds, type Scenario } from './conditions.ts';

type Leg = NonNullable<Scenario['leg']>;
type Values = ReadonlyMap<string, YamlNode>;

const MAX_LEGS = 256;
const MAX_KEYS = 50;
const MAX_STEPS = 200;
const MAX_DEPTH = 5;
const MAX_VALUES = 20_000;

/** Returns false if the two steps of a job never run in the same leg of its matrix. */
export function shareLeg(step: Step, other: Step): boolean {
  const { parent } = step;
  if (parent !== other.parent || parent.kind === 'action' || parent.steps.length > MAX_STEPS) return true;
  if (step.condition === undefined || other.condition === undefined) return true;
  const legs = legsOn(step);
  const others = legsOn(other);
  return legs.size === 0 || others.size === 0 || [...others].some((leg) => legs.has(leg));
}

const legsOn = memoByNode((step: Step): ReadonlySet<Leg> => {
  const job = jobOf(step);
  const legs = job === undefined ? [] : legsOf(job);
  return new Set(legs.filter((leg) => holds(step.condition, { event: ANY_EVENT, by: 'anyone', leg }) !== false));
});

const SYSTEMS: readonly string[] = ['Linux', 'macOS', 'Windows'];

const legsOf = memoByNode((job: Job): readonly Leg[] => {
  const combinations = (job.matrix === undefined ? undefined : combinationsOf(job.matrix)) ?? [];
  const legs = flattened(combinations) ?? [new Map()];
  if (legs.length * job.steps.length > MAX_VALUES) return [];
  return legs.flatMap((leg) => {
    const system = systemOf(job, leg);
    return (system === undefined ? SYSTEMS : [system]).map((each) => new Map(leg).set('runner.os', each));
  });
});

function systemOf({ runsOn }: Job, leg: Leg): string | undefined {
  const labels = (runsOn?.labels ?? []).map((label) => textIn(leg, label)?.toLowerCase() ?? '');
  const found = labels.flatMap((label) => {
    const [, name] = /^(ubuntu|linux|windows|macos)(?:$|-)/.exec(label) ?? [];
    return name === undefined ? [] : [name === 'ubuntu' ? 'linux' : name];
  });
  return SYSTEMS.find((system) => found[0] === system.toLowerCase());
}

function textIn(leg: Leg, text: Text): string | undefined {
  let value = '';
  let from = 0;
  for (const { node, range } of expressionsIn(text)) {
    const given = node?.type === 'access' ? leg.get(node.path.join('.')) : undefined;
    if (given === undefined) return undefined;
    value += `${text.value.slice(from, range.start)}${given ?? ''}`;
    from = range.end;
  }
  return `${value}${text.value.slice(from)}`.trim();
}

function combinationsOf(matrix: YamlNode): readonly Values[] | undefined {
  if (matrix.kind !== 'mapping' || matrix.entries.size > MAX_KEYS) return undefined;
  const included = listed(matrix, 'include');
  const excluded = listed(matrix, 'exclude');
  const product = productOf(matrix);
  if (included === undefined || excluded === undefined || product === undefined) return undefined;
  if (product.length * included.reduce((sum, { size }) => sum + size, 0) > MAX_VALUES) return undefined;
  const own = product.filter((values) => !excluded.some((wanted) => agree(values, wanted) === true));
  const legs = own.map((values) => new Map(values));
  const added: Values[] = [];
  for (const values of included) {
    const fits = own.map((each) => each.size > 0 && agree(each, values, 'where both have'));
    if (fits.includes(undefined)) return undefined;
    for (const [index, fit] of fits.entries()) {
      if (fit === true) for (const [key, value] of values) legs[index]?.set(key, value);
    }
    if (!fits.includes(true)) added.push(values);
  }
  const all = [...legs.filter(({ size }) => size > 0), ...added];
  return all.length === 0 || all.length > MAX_LEGS ? undefined : all;
}

function productOf(matrix: YamlMapping): readonly Values[] | undefined {
  let product: readonly Values[] = [new Map()];
  for (const [key, { value }] of matrix.entries) {
    if (key === 'include' || key === 'exclude') continue;
    if (value.kind !== 'sequence' || value.items.some(isComputed)) return undefined;
    if (product.length * value.items.length > MAX_LEGS) return undefined;
    product = product.flatMap((values) => value.items.map((item) => new Map(values).set(key.toLowerCase(), item)));
  }
  return product;
}

function listed(matrix: YamlMapping, key: string): readonly Values[] | undefined {
  const node = valueOf(matrix, key);
  if (node === undefined) return [];
  if (node.kind !== 'sequence' || node.items.length > MAX_LEGS) return undefined;
  const found = node.items.map((item) =>
    item.kind === 'mapping'
      ? new Map([...item.entries].map(([name, { value }]) => [name.toLowerCase(), value]))
      : undefined,
  );
  return found.includes(undefined) ? undefined : found.filter((values) => values !== undefined);
}

function agree(values: Values, wanted: Values, keys: 'all' | 'where both have' = 'all'): boolean | undefined {
  let unknown = false;
  for (const [key, value] of wanted) {
    const own = values.get(key);
    if (own === undefined && keys === 'where both have') continue;
    if (own === undefined) return false;
    if (!isKnown(own) || !isKnown(value)) unknown = true;
    else if (own.value !== value.value) return false;
  }
  return unknown ? undefined : true;
}

function isKnown(node: YamlNode): node is YamlScalar {
  return node.kind === 'scalar' && !isComputed(node);
}

function isComputed(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.text.includes('${{');
}

function flattened(combinations: readonly Values[]): readonly Leg[] | undefined {
  let left = MAX_VALUES;
  const visit = (leg: Map<string, YamlScalar['value']>, path: string, node: YamlNode, depth: number): void => {
    left -= 1;
    if (isKnown(node)) leg.set(path, node.value);
    else if (node.kind === 'mapping' && depth < MAX_DEPTH && left > 0)
      for (const [key, { value }] of node.entries) visit(leg, `${path}.${key.toLowerCase()}`, value, depth + 1);
  };
  const legs = combinations.map((values) => {
    const leg = new Map<string, YamlScalar['value']>();
    for (const [key, node] of values) if (left > 0) visit(leg, `matrix.${key}`, node, 0);
    return leg;
  });
  const paths = new Set(legs.flatMap((leg) => [...leg.keys()]));
  if (legs.length === 0 || left <= 0 || paths.size * legs.length > MAX_VALUES) return undefined;
  for (const [index, leg] of legs.entries()) {
    for (const path of paths) if (combinations[index]?.has(path.split('.')[1] ?? '') === false) leg.set(path, null);
  }
  return legs;
}
