import { HOSTED_RUNNER_LABELS, RETIRED_RUNNER_LABELS } from '#lib/data/curated/hosted-runners.ts';
import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Job, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { toText } from '#lib/workflow/parse/fields.ts';
import { valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { memoByNode, memoByRepository, memoInRepository } from '../memo.ts';
import { ANY_EVENT, evaluates, type Scenario } from '../reachability/conditions.ts';
import { startingInputs } from '../reachability/passed-inputs.ts';

/** `own-label`: self-hosted or a larger hosted runner; `unknown`: a computed label, or only a group. */
export type RunnerKind = 'hosted' | 'self-hosted' | 'own-label' | 'unknown';

const HOSTED: ReadonlySet<string> = new Set([
  ...HOSTED_RUNNER_LABELS,
  ...RETIRED_RUNNER_LABELS.map(({ label }) => label),
]);

const IMAGE = /^(?:github-)?(?:ubuntu|windows|macos|xcode)(?:[-_.]?\d|-latest|-slim)/;

const CORES = /^\d{1,3}-cores?-(?:ubuntu|windows|macos)|(?:ubuntu|windows|macos)[\w.-]{0,40}-\d{1,3}-?cores?$/;

const NAMED_AFTER_IMAGE = /^[a-z][a-z\d-]{1,40}-(?:ubuntu|windows|macos)-(?:latest|\d\d(?:\.\d\d)?)$/;

const NAMED_AFTER_SIZE = /^(?:ubuntu|windows|macos)-(?:x64|arm64)-(?:\d{0,2}x?large)$/;

const SAYS_SELF_HOSTED = /(?:^|[-_.])self-?hosted(?:[-_.]|$)/;

const RENTED =
  /^(?:avm|blacksmith|buildjet|bullfrog|cirun|codebuild|codspeed|depot|actuated|github-hosted|namespace|nscloud|runs-on|ubicloud|warp)(?:$|[-_=/:,.])/;

const SINGLE_USE =
  /(?:^|[-_.])(?:1es|ephemeral|arc|single-use|one-shot)(?:$|[-_.])|^(?:actuated|cirun|codebuild|runs-on)(?:$|[-_=/:,.])/;

export const runnerKind = memoByNode((job: Job): RunnerKind => kindOf(job, labelsOf(job)));

export interface Placement {
  readonly kind: RunnerKind;
  readonly labels: readonly string[];
}

/**
 * Returns where a job runs for each set of inputs with which its workflow starts here, without labels that an expression
 * chooses for other repositories only.
 */
export const placementsIn = memoInRepository((job: Job, repository): readonly Placement[] =>
  startingInputs(job.workflow, repository).map((inputs) =>
    placementFor(job, [{ event: ANY_EVENT, by: 'anyone', ...(inputs === undefined ? {} : { inputs }) }], repository),
  ),
);

export const runnerKindIn = memoInRepository((job: Job, repository): RunnerKind => {
  const kinds = placementsIn(job, repository).map(({ kind }) => kind);
  const [first] = kinds;
  if (first === undefined) return runnerKind(job);
  return WORST_FIRST.find((kind) => kinds.includes(kind)) ?? first;
});

const WORST_FIRST: readonly RunnerKind[] = ['self-hosted', 'own-label', 'unknown', 'hosted'];

export function runnerKindFor(job: Job, scenarios: readonly Scenario[], repository: Repository): RunnerKind {
  return placementFor(job, scenarios, repository).kind;
}

export function placementFor(job: Job, scenarios: readonly Scenario[], repository: Repository): Placement {
  const { fullName } = repository;
  const where = fullName === undefined ? {} : { repository: fullName };
  const labels = scenarios.flatMap((scenario) => labelsIn(job, { ...scenario, ...where }));
  return {
    kind: kindWithOthers(job, labels, repository),
    labels: [...new Set(labels)].filter((label) => label !== undefined),
  };
}

function kindWithOthers(job: Job, labels: readonly (string | undefined)[], repository: Repository): RunnerKind {
  const kind = kindOf(job, labels);
  if (kind !== 'own-label') return kind;
  const own = labelsOfSelfHosted(repository);
  return labels.some((label) => label !== undefined && own.has(label)) ? 'self-hosted' : kind;
}

const MAX_LABELS = 1_000;

const labelsOfSelfHosted = memoByRepository(({ workflows }): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { jobs } of workflows) {
    for (const { runsOn } of jobs) {
      const labels = (runsOn?.labels ?? []).map((label) => plainText(label));
      if (!labels.includes('self-hosted') || found.size > MAX_LABELS) continue;
      for (const label of labels) if (label !== undefined && labelKind(label) === 'own-label') found.add(label);
    }
  }
  return found;
});

export function isOnOwnRunner(job: Job, scenarios: readonly Scenario[], repository: Repository): boolean {
  const kind = runnerKindFor(job, scenarios, repository);
  return kind === 'self-hosted' || kind === 'own-label';
}

function kindOf(job: Job, labels: readonly (string | undefined)[]): RunnerKind {
  const found = labels.map(labelKind);
  if (found.includes('self-hosted') || hasOnlyDefaultLabels(job) || hasDefaultLabels(job, labels)) return 'self-hosted';
  if (job.runsOn === undefined || job.runsOn.group !== undefined || found.length === 0) return 'unknown';
  if (found.every((kind) => kind === 'hosted')) return 'hosted';
  return found.includes('unknown') ? 'unknown' : 'own-label';
}

const SYSTEMS: ReadonlySet<string> = new Set(['linux', 'macos', 'windows']);
const PROCESSORS: ReadonlySet<string> = new Set(['arm', 'arm64', 'x64']);

/** GitHub gives these labels to self-hosted runners only. */
function hasOnlyDefaultLabels({ runsOn }: Job): boolean {
  const labels = (runsOn?.labels ?? []).map(({ value }) => value.trim().toLowerCase());
  return (
    runsOn?.group === undefined &&
    labels.some((label) => SYSTEMS.has(label)) &&
    labels.some((label) => PROCESSORS.has(label)) &&
    labels.every((label) => SYSTEMS.has(label) || PROCESSORS.has(label))
  );
}

function hasDefaultLabels(job: Job, all: readonly (string | undefined)[]): boolean {
  const labels = all.filter((label) => label !== undefined);
  return (
    job.runsOn?.group === undefined &&
    labels.some((label) => SYSTEMS.has(label)) &&
    labels.some((label) => PROCESSORS.has(label)) &&
    !labels.some((label) => RENTED.test(label) || SINGLE_USE.test(label))
  );
}

export function isOnLastingMachine(job: Job, repository: Repository): boolean {
  return placementsIn(job, repository).some(({ kind, labels }) => kind === 'self-hosted' && !areSingleUse(labels));
}

export function isSingleUse(job: Job): boolean {
  return areSingleUse(knownLabels(job));
}

export function areSingleUse(labels: readonly string[]): boolean {
  return labels.some((label) => SINGLE_USE.test(label));
}

const CLOUD = /^(?:aws|azure|ec2|eks|gcp|gce|gke|aks|hetzner|spot)$/;

const SIZE = /^(?:\d{1,3}(?:c|cpus?|vcpus?|-?cores?)|\d{0,2}x?large|small|medium|[a-z]\d[a-z\d]{0,4}\.\w{1,10})$/;

const STARTED = /^(?:on-?demand|auto-?scal(?:ed?|ing))$/;

const CLOUD_SIZE = /^(?:\d{0,2}xlarge|[a-z]\d[a-z\d]{0,4}\.\w{1,10})$/;

const STARTED_FROM =
  /^(?:[a-z\d-]{1,60}\.){1,4}[a-z]{2,10}(?:\/[\w.-]{1,80}){1,6}(?::[\w.-]{1,60}|@sha256:[\da-f]{64})$/;

export function isOnDemand(job: Job): boolean {
  return areOnDemand([...knownLabels(job), ...defaultLabels(job)]);
}

export function areOnDemand(whole: readonly string[]): boolean {
  const labels = whole.flatMap((label) => (SAYS_SELF_HOSTED.test(label) ? [label, ...label.split(/[-_]/)] : [label]));
  if (labels.some((label) => [STARTED, CLOUD_SIZE, STARTED_FROM].some((pattern) => pattern.test(label)))) return true;
  return labels.some((label) => CLOUD.test(label)) && labels.some((label) => SIZE.test(label));
}

const LARGER =
  /(?:^|[-_.])(?:aws|azure|ec2|eks|gcp|gce|gke|aks|hetzner|oracle|aarch64|arm64|\d{1,3}-?(?:cpus?|vcpus?|cores?)|\d{1,4}gb|\d{0,2}xlarge|[acgmnt]\d[a-z]{0,2}-\d{1,3})(?:$|[-_.])/;

export function mayBeRented(labels: readonly string[]): boolean {
  return labels.length > 0 && labels.every((label) => LARGER.test(label));
}

export function ownLabels(job: Job): string[] {
  return notHosted(knownLabels(job));
}

export function notHosted(labels: readonly string[]): string[] {
  return labels.filter((label) => labelKind(label) !== 'hosted');
}

export function knownLabels(job: Job): string[] {
  return [...new Set(labelsOf(job))].filter((label) => label !== undefined);
}

/**
 * Returns the labels, in lower case, of which each run of a job asks for one alone; undefined if that is not certain.
 */
export function soleLabels({ runsOn, matrix }: Job): readonly string[] | undefined {
  const [label, ...others] = runsOn?.labels ?? [];
  if (label === undefined || others.length > 0 || runsOn?.group !== undefined) return undefined;
  const own = plainText(label);
  if (own !== undefined) return [own];
  const [expression, ...more] = expressionsIn(label);
  if (expression?.node?.type !== 'access' || more.length > 0) return undefined;
  if (expression.range.end - expression.range.start !== label.value.trim().length) return undefined;
  const [context, key = '', ...path] = expression.node.path;
  if (context !== 'matrix' || key === '' || path.includes('*') || matrix?.kind !== 'mapping') return undefined;
  const included = [...childrenSpelled(matrix, 'include')];
  const values = [...childrenSpelled(matrix, key)];
  if ([...included, ...values].some(({ kind }) => kind !== 'sequence')) return undefined;
  const legs = [
    ...values.flatMap(itemsOf),
    ...included.flatMap(itemsOf).flatMap((item) => [...childrenSpelled(item, key)]),
  ];
  const labels = legs.flatMap((leg) => {
    const ends = path.reduce(
      (at: readonly YamlNode[], name) => at.flatMap((node) => [...childrenSpelled(node, name)]),
      [leg],
    );
    return ends.length === 0 ? [undefined] : ends.map((end) => plainText(toText(end)));
  });
  return labels.length === 0 || labels.includes(undefined) ? undefined : labels.filter((each) => each !== undefined);
}

function itemsOf(node: YamlNode): readonly YamlNode[] {
  return node.kind === 'sequence' ? node.items : [];
}

function* childrenSpelled(node: YamlNode, key: string): Generator<YamlNode> {
  if (node.kind !== 'mapping') return;
  for (const [name, { value }] of node.entries) if (name.toLowerCase() === key) yield value;
}

function plainText(text: Text | undefined): string | undefined {
  return text === undefined || text.value.includes('${{') ? undefined : text.value.trim().toLowerCase();
}

function labelKind(label: string | undefined): RunnerKind {
  if (label === undefined) return 'unknown';
  if (SAYS_SELF_HOSTED.test(label)) return 'self-hosted';
  return HOSTED.has(label) ||
    IMAGE.test(label) ||
    CORES.test(label) ||
    NAMED_AFTER_IMAGE.test(label) ||
    NAMED_AFTER_SIZE.test(label) ||
    RENTED.test(label)
    ? 'hosted'
    : 'own-label';
}

function defaultLabels({ runsOn, workflow }: Job): string[] {
  return (runsOn?.labels ?? []).flatMap((label) => {
    const [, name] = /^\$\{\{\s{0,9}inputs\.([\w-]+)\s{0,9}\}\}$/.exec(label.value.trim()) ?? [];
    const inputs = workflow.triggers.flatMap((trigger) => trigger.inputs);
    const value = inputs.find((input) => input.name === name)?.defaultValue?.value;
    return value === undefined ? [] : [value.toLowerCase()];
  });
}

const labelsOf = memoByNode((job: Job): readonly (string | undefined)[] => labelsIn(job, undefined));

function labelsIn({ runsOn, matrix }: Job, scenario: Scenario | undefined): readonly (string | undefined)[] {
  const choice = { matrix, scenario, valuesLeft: MAX_VALUES };
  return (runsOn?.labels ?? []).flatMap((label) => valuesOfText(label, choice, 0));
}

interface Choice {
  readonly matrix: YamlNode | undefined;
  /** What is known of the run; undefined to list the labels of all repositories. */
  readonly scenario: Scenario | undefined;
  valuesLeft: number;
}

const MAX_DEPTH = 3;
const MAX_VALUES = 20_000;

function valuesOfText(text: Text, choice: Choice, depth: number): (string | undefined)[] {
  const value = text.value.trim().toLowerCase();
  const [expression, ...more] = expressionsIn(text);
  if (expression === undefined) return [value];
  const whole = expression.range.end - expression.range.start === text.value.trim().length;
  if (!whole || more.length > 0) {
    const start = text.value.slice(0, expression.range.start).trim().toLowerCase();
    const named = RENTED.test(start) || /^(?:ubuntu|windows|macos)-/.test(start);
    return [named ? `${start}latest` : undefined];
  }
  if (expression.node === undefined || depth >= MAX_DEPTH) return [undefined];
  return valuesOfNode(expression.node, choice, depth);
}

function valuesOfNode(node: ExpressionNode, choice: Choice, depth: number): (string | undefined)[] {
  if (depth > MAX_DEPTH) return [undefined];
  switch (node.type) {
    case 'literal':
      return [typeof node.value === 'string' ? node.value.toLowerCase() : undefined];
    case 'and': {
      const { scenario } = choice;
      if (scenario !== undefined && node.args.slice(0, -1).some((arg) => evaluates(arg, scenario) === false)) return [];
      return valuesOfNode(node.args.at(-1) as ExpressionNode, choice, depth);
    }
    case 'or': {
      const { scenario } = choice;
      const last = scenario === undefined ? -1 : node.args.findIndex((arg) => evaluates(arg, scenario) === true);
      const reached = last === -1 ? node.args : node.args.slice(0, last + 1);
      return reached.flatMap((arg, index) =>
        scenario !== undefined && index < node.args.length - 1 && evaluates(arg, scenario) === false
          ? []
          : valuesOfNode(arg, choice, depth),
      );
    }
    case 'access': {
      const given = givenInput(node, choice);
      if (given !== undefined) return [given.toLowerCase()];
      const values = [...matrixNodes(node, choice, depth)]
        .flatMap((found) => [...scalars(found)])
        .flatMap((value) => valuesOfText(value, choice, depth + 1));
      return values.length === 0 ? [undefined] : values;
    }
    case 'call':
      return node.name === 'fromjson' ? parsedLabels(node.args[0], choice) : [undefined];
    case 'compare':
    case 'index':
    case 'not':
      break;
  }
  return [undefined];
}

function givenInput(node: ExpressionNode, { scenario }: Choice): string | undefined {
  const [context, name = '', ...others] = node.type === 'access' ? node.path : [];
  const value = context === 'inputs' && others.length === 0 ? scenario?.inputs?.get(name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parsedLabels(node: ExpressionNode | undefined, choice: Choice): (string | undefined)[] {
  if (node?.type === 'or') return node.args.flatMap((arg) => parsedLabels(arg, choice));
  if (node?.type === 'and') return parsedLabels(node.args.at(-1), choice);
  const text = node?.type === 'literal' ? node.value : node === undefined ? undefined : givenInput(node, choice);
  if (typeof text !== 'string') return [undefined];
  try {
    const parsed: unknown = JSON.parse(text);
    return (Array.isArray(parsed) ? parsed : [parsed]).map((label) =>
      typeof label === 'string' ? label.toLowerCase() : undefined,
    );
  } catch {
    return [undefined];
  }
}

type Access = Extract<ExpressionNode, { readonly type: 'access' }>;

function matrixNodes(
  { path: [context, key = '', ...rest], indexes }: Access,
  choice: Choice,
  depth: number,
): YamlNode[] {
  if (context !== 'matrix' || key === '' || key === '*' || choice.valuesLeft <= 0) return [];
  if (rest.filter((part) => part === '*').length !== indexes.length) return [];
  const { matrix } = choice;
  const own = childOf(matrix, key);
  const included = valueOf(matrix, 'include');
  const tables = [
    ...(own?.kind === 'sequence' ? own.items : []),
    ...(included?.kind === 'sequence' ? included.items.map((item) => childOf(item, key)) : []),
  ];
  choice.valuesLeft -= tables.length;
  const keys = indexes.map((index) => new Set(valuesOfNode(index, choice, depth + 1)));
  return rest.reduce<YamlNode[]>(
    (nodes, part) => {
      const names = part === '*' ? keys.shift() : undefined;
      return nodes.flatMap((node) =>
        names === undefined ? (childOf(node, part) ?? []) : childrenNamed(node, names, choice),
      );
    },
    tables.flatMap((node) => node ?? []),
  );
}

function childrenNamed(node: YamlNode, names: ReadonlySet<string | undefined>, choice: Choice): YamlNode[] {
  if (node.kind !== 'mapping') return [];
  choice.valuesLeft -= node.entries.size;
  return [...node.entries].flatMap(([name, { value }]) =>
    names.has(undefined) || names.has(name.toLowerCase()) ? [value] : [],
  );
}

function childOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  if (node?.kind !== 'mapping') return undefined;
  const exact = node.entries.get(key);
  if (exact !== undefined) return exact.value;
  return [...node.entries].find(([name]) => name.toLowerCase() === key)?.[1].value;
}

function* scalars(node: YamlNode | undefined): Generator<Text> {
  const text = toText(node);
  if (text !== undefined) yield text;
  else if (node?.kind === 'sequence') for (const item of node.items) yield* scalars(item);
  else if (node?.kind === 'mapping' && childOf(node, 'group') === undefined) yield* scalars(childOf(node, 'labels'));
}
