import type { ExpressionNode } from './expression.ts';
import { nodesOf } from './expression.ts';

export interface IdentityTest {
  readonly kind: 'bot' | 'git-author';
  readonly path: string;
  readonly name: string;
  readonly negated: boolean;
}

const LAST_ACTOR =
  /^github\.(?:actor|actor_id|triggering_actor|event\.sender\.(?:login|id|type)|event\.workflow_run\.triggering_actor\.login)$/;

const GIT_AUTHOR =
  /^github\.event\.(?:head_commit|commits\.\*|workflow_run\.head_commit|merge_group\.head_commit)\.(?:author|committer)\.(?:name|email|username)$/;

/** Account ids of Dependabot, Renovate, GitHub Actions and pre-commit.ci. */
const BOT_IDS: ReadonlySet<string> = new Set(['49699333', '29139614', '41898282', '66853113']);

function isBotName(name: string): boolean {
  return /\[bot\]$|bot$/i.test(name) || BOT_IDS.has(name);
}

const found = new WeakMap<ExpressionNode, IdentityTest | null>();

export function identityTest(node: ExpressionNode): IdentityTest | undefined {
  if (node.type !== 'compare' && node.type !== 'call') return undefined;
  let test = found.get(node);
  if (test === undefined) {
    test = (node.type === 'compare' ? comparison(node) : membership(node)) ?? null;
    found.set(node, test);
  }
  return test ?? undefined;
}

function comparison(node: ExpressionNode & { type: 'compare' }): IdentityTest | undefined {
  if (node.operator !== '==' && node.operator !== '!=') return undefined;
  const access = node.args.find((arg) => arg.type === 'access');
  const literal = node.args.find((arg) => arg.type === 'literal');
  if (access?.type !== 'access' || literal?.type !== 'literal') return undefined;
  return testOf(access.path.join('.'), [String(literal.value)], node.operator === '!=');
}

function membership(node: ExpressionNode & { type: 'call' }): IdentityTest | undefined {
  if (node.name !== 'contains' && node.name !== 'startswith' && node.name !== 'endswith') return undefined;
  const [first, second] = node.args;
  if (first?.type === 'access' && second?.type === 'literal') {
    const part = String(second.value);
    const names = /bot/i.test(part) ? [`${part.replace(/\[?bot\]?$/i, '')}[bot]`] : [];
    return testOf(first.path.join('.'), names, false);
  }
  if (node.name !== 'contains' || second?.type !== 'access' || first === undefined) return undefined;
  const list = first.type === 'call' && first.name === 'fromjson' ? first.args[0] : first;
  if (list?.type !== 'literal') return undefined;
  return testOf(second.path.join('.'), String(list.value).match(/[^\s,"']+(?:\[bot\])?/g) ?? [], false);
}

function testOf(path: string, names: readonly string[], negated: boolean): IdentityTest | undefined {
  if (GIT_AUTHOR.test(path)) return { kind: 'git-author', path, name: names[0] ?? '', negated };
  if (!LAST_ACTOR.test(path)) return undefined;
  const name = names.find(isBotName);
  return name === undefined ? undefined : { kind: 'bot', path, name, negated };
}

export function identityTestsIn(node: ExpressionNode): IdentityTest[] {
  return nodesOf(node).flatMap((child) => identityTest(child) ?? []);
}
