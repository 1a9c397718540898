import { HOSTED_RUNNER_LABELS, RETIRED_RUNNER_LABELS } from '../data/hosted-runners.ts';
import type { Job } from './model.ts';
import { valueOf, type YamlNode } from './yaml.ts';

export type RunnerKind = 'hosted' | 'self-hosted' | 'unknown';

const HOSTED: ReadonlySet<string> = new Set([
  ...HOSTED_RUNNER_LABELS,
  ...RETIRED_RUNNER_LABELS.map(({ label }) => label),
]);

/** Names of larger hosted runners and of vendors that rent single-use machines; they only look like own labels. */
const RENTED =
  /^(?:(?:ubuntu|windows|macos)[-_.\d]*(?:[-_]?(?:latest|x?large|arm|arm64|x64|\d+-?cores?|core|gpu|m|l|xl)\b.*)|(?:blacksmith|depot|buildjet|namespace|nscloud|warp|runs-on|cirun|ubicloud|bullfrog|codebuild|actuated|github-hosted)[-_=/:].*)/i;

/** Where a job runs. A label by expression is followed into a literal matrix; anything else computed is unknown. */
export function runnerKind(job: Job): RunnerKind {
  const { runsOn } = job;
  if (runsOn === undefined) return 'unknown';
  const labels = runsOn.labels.map((label) => label.value.trim().toLowerCase());
  if (labels.includes('self-hosted')) return 'self-hosted';
  if (runsOn.group !== undefined) return 'unknown';
  const kinds = labels.flatMap((label) => (label.includes('${{') ? expressionKinds(label, job) : [labelKind(label)]));
  if (kinds.includes('self-hosted')) return 'self-hosted';
  return kinds.length > 0 && kinds.every((kind) => kind === 'hosted') ? 'hosted' : 'unknown';
}

function labelKind(label: string): RunnerKind {
  return HOSTED.has(label) || RENTED.test(label) ? 'hosted' : 'self-hosted';
}

function expressionKinds(label: string, job: Job): RunnerKind[] {
  const [, key] = /^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$/.exec(label) ?? [];
  if (key === undefined) return ['unknown'];
  const values = [...matrixValues(job.matrix, key)];
  // A value that is neither hosted nor "self-hosted" itself may be translated elsewhere: not certain.
  return values.length === 0
    ? ['unknown']
    : values.map((value) =>
        value === 'self-hosted' ? 'self-hosted' : labelKind(value) === 'hosted' ? 'hosted' : 'unknown',
      );
}

function* matrixValues(matrix: YamlNode | undefined, key: string): Generator<string> {
  const own = valueOf(matrix, key);
  if (own?.kind === 'sequence') for (const item of own.items) yield* scalars(item);
  const included = valueOf(matrix, 'include');
  if (included?.kind === 'sequence') {
    for (const item of included.items) {
      const value = valueOf(item, key);
      if (value !== undefined) yield* scalars(value);
    }
  }
}

function* scalars(node: YamlNode): Generator<string> {
  if (node.kind === 'scalar') yield node.text.toLowerCase();
  else if (node.kind === 'sequence') for (const item of node.items) yield* scalars(item);
}
