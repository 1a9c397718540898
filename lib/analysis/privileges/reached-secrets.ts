import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Job, Text } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { evaluates, type Scenario } from '../reachability/conditions.ts';
import { mayRun } from '../reachability/outsider-reach.ts';
import { credentialsOf } from './job-credentials.ts';

export function secretsReached(job: Job, scenarios: readonly Scenario[]): readonly string[] {
  const { secrets } = credentialsOf(job);
  if (secrets.length === 0 || secrets.includes('*')) return secrets;
  const skipped = job.steps.filter((step) => !scenarios.some((scenario) => mayRun(step, scenario)));
  const unread = new Set(skipped.flatMap((step) => [...textsBelow(step.mapping)].map(({ span }) => span.start)));
  const reached = new Set<string>();
  const texts = [...(job.workflow.env?.entries ?? []).map(({ value }) => value), ...textsBelow(job.mapping)];
  for (const text of texts) {
    if (!text.value.includes('secrets') || unread.has(text.span.start)) continue;
    for (const scenario of scenarios) for (const name of secretsRead(text, scenario)) reached.add(name);
  }
  return secrets.filter((name) => reached.has(name) || reached.has('*'));
}

function secretsRead(text: Text, scenario: Scenario): string[] {
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : readIn(node, scenario)));
}

function readIn(node: ExpressionNode, scenario: Scenario): string[] {
  switch (node.type) {
    case 'access': {
      const [context, name = '*'] = node.path;
      return context === 'secrets' ? [name] : [];
    }
    case 'and':
    case 'or': {
      const decisive = node.type === 'or';
      const end = node.args.findIndex((arg) => evaluates(arg, scenario) === decisive);
      return node.args.slice(0, end === -1 ? undefined : end + 1).flatMap((arg) => readIn(arg, scenario));
    }
    case 'not':
      return readIn(node.arg, scenario);
    case 'compare':
    case 'call':
      return node.args.flatMap((arg) => readIn(arg, scenario));
    case 'index':
      return [...readIn(node.target, scenario), ...readIn(node.key, scenario)];
    case 'literal':
      return [];
  }
}
