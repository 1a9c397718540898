import {
  type CompoundList,
  type If,
  type PipelineNode,
  parse,
  type Statement,
  type SyntaxNode,
  type TestExpression,
} from 'unbash';
import type { Text } from '../model/model.ts';
import { offsetInScalar } from '../yaml/parse.ts';
import { maskExpressions } from './shell.ts';
import { type Matched, matchedBy } from './whole-pattern.ts';

/**
 * A part of a script that runs only if a variable matches a pattern as a whole. `refuses`: no run that succeeds gets
 * past the check.
 */
export interface TextCheck {
  readonly name: string;
  readonly matched: Matched;
  readonly start: number;
  readonly end: number;
  readonly refuses: boolean;
}

interface Fact {
  readonly name: string;
  readonly matched: Matched;
}

type Leaving = 'fails' | 'ends' | undefined;
type Node = Statement['command'] | PipelineNode | SyntaxNode;

const BLOCKS: ReadonlySet<string> = new Set(['ArithmeticFor', 'BraceGroup', 'For', 'Select', 'Subshell']);
const NOTHING: readonly Fact[] = [];

export function textChecksIn(script: Text, errexit: boolean): readonly TextCheck[] {
  if (!script.value.includes('=~')) return [];
  return new CheckReader(script, errexit && !/\bset \+\w{0,9}e/.test(script.value)).found;
}

const SUCCEEDS = /\bexit\b(?!\s{1,9}["']?[1-9])/;

class CheckReader {
  readonly found: TextCheck[] = [];
  readonly #script: Text;
  readonly #errexit: boolean;
  readonly #functions = new Map<string, Leaving>();
  readonly #succeedsFrom: number;

  constructor(script: Text, errexit: boolean) {
    this.#script = script;
    this.#errexit = errexit;
    const exit = script.value.search(SUCCEEDS);
    this.#succeedsFrom = exit === -1 ? script.value.length : exit;
    this.#visitList(parse(maskExpressions(script)).commands, script.value.length, true);
  }

  #add(facts: readonly Fact[], start: number, end: number, refuses = false): void {
    const { node } = this.#script;
    for (const fact of facts) {
      const from = offsetInScalar(node, start);
      this.found.push({ ...fact, start: from, end: end > start ? offsetInScalar(node, end - 1) + 1 : from, refuses });
    }
  }

  #visitList(statements: readonly Statement[], end: number, outermost = false): void {
    for (const statement of statements) {
      if (statement.background === true) continue;
      this.#visit(statement.command);
      const { facts, leaving } = this.#after(statement.command);
      this.#add(facts, statement.end, end, outermost && leaving === 'fails' && statement.pos < this.#succeedsFrom);
    }
  }

  #visit(node: Node): void {
    if (node.type === 'AndOr') this.#visitChain(node);
    else if (node.type === 'If') this.#visitIf(node);
    else if (node.type === 'CompoundList') this.#visitList(node.commands, node.end);
    else if (node.type === 'Redirected') this.#visit(node.command);
    else if (node.type === 'Case') for (const { body } of node.items) this.#visit(body);
    else if (node.type === 'Pipeline') for (const command of node.commands) this.#visit(command);
    else if (node.type === 'While') {
      this.#visit(node.clause);
      this.#add(this.#facts(node.clause, node.kind === 'while'), node.body.pos, node.body.end);
      this.#visit(node.body);
    } else if (node.type === 'Function') {
      this.#functions.set(node.name.text, this.#leaving(node.body) === 'fails' ? 'fails' : undefined);
      this.#visit(node.body);
    } else if (BLOCKS.has(node.type) && 'body' in node && typeof node.body === 'object') this.#visit(node.body);
  }

  #visitChain({ commands, operators }: Extract<Node, { type: 'AndOr' }>): void {
    let end = commands.at(-1)?.end ?? 0;
    for (let index = commands.length - 1; index >= 0; index -= 1) {
      const command = commands[index] as PipelineNode;
      const next = commands[index + 1];
      this.#visit(command);
      if (operators[index] === '||') end = command.end;
      if (next !== undefined && operators[index] === '&&') this.#add(this.#facts(command, true), next.pos, end);
      if (next !== undefined && operators[index] === '||' && index === 0) {
        this.#add(this.#facts(command, false), next.pos, next.end);
      }
    }
  }

  #visitIf({ clause, then, elif, else: other, end }: If): void {
    this.#visitBranch(clause, then, end);
    for (const branch of elif) this.#visitBranch(branch.clause, branch.then, end);
    if (other !== undefined) this.#visit(other);
  }

  #visitBranch(clause: Node, then: CompoundList, end: number): void {
    this.#visit(clause);
    this.#add(this.#facts(clause, true), then.pos, then.end);
    this.#add(this.#facts(clause, false), then.end, end);
    this.#visit(then);
  }

  #after(node: Node): { readonly facts: readonly Fact[]; readonly leaving: Leaving } {
    const holds = (of: Node, truth: boolean, leaving: Leaving) => ({
      facts: leaving === undefined ? NOTHING : this.#facts(of, truth),
      leaving,
    });
    if (node.type === 'TestCommand') return holds(node, true, this.#errexit ? 'fails' : undefined);
    if (node.type === 'Redirected') return this.#after(node.command);
    if (node.type === 'If') {
      const refused = holds(node.clause, false, this.#leaving(node.then));
      if (refused.facts.length > 0 || node.else === undefined || node.elif.length > 0) return refused;
      return holds(node.clause, true, this.#leaving(node.else));
    }
    const { commands = [], operators = [] } = node.type === 'AndOr' ? node : {};
    const last = commands.length < 2 ? undefined : commands.at(-1);
    if (last !== undefined) {
      const leaving = this.#leaving(last);
      if (commands.length === 2) return holds(commands[0] as PipelineNode, operators[0] === '||', leaving);
      const joined = operators.at(-1) === '||' && operators.slice(0, -1).every((operator) => operator === '&&');
      const facts = commands.slice(0, -1).flatMap((command) => this.#facts(command, true));
      return { facts: joined && leaving !== undefined ? facts : NOTHING, leaving };
    }
    return { facts: NOTHING, leaving: undefined };
  }

  #leaving(node: Node): Leaving {
    if (node.type === 'BraceGroup') return this.#leaving(node.body);
    if (node.type === 'Redirected') return this.#leaving(node.command);
    if (node.type === 'Subshell') return this.#errexit && this.#leaving(node.body) === 'fails' ? 'fails' : undefined;
    if (node.type === 'CompoundList') {
      for (const { command } of node.commands) {
        const leaving = this.#leaving(command);
        if (leaving !== undefined) return leaving;
      }
    }
    if (node.type !== 'Command') return undefined;
    const name = node.name?.value ?? '';
    if (name === 'exit') return /^["']?[1-9]/.test(node.args[0]?.text ?? '') ? 'fails' : 'ends';
    if (name === 'return' || name === 'continue' || name === 'break') return 'ends';
    return name === 'false' && this.#errexit ? 'fails' : this.#functions.get(name);
  }

  #facts(node: Node, truth: boolean): readonly Fact[] {
    if (node.type === 'TestCommand') return factsOf(node.expression, truth);
    if (node.type === 'Statement') return this.#facts(node.command, truth);
    if (node.type === 'CompoundList') {
      const last = node.commands.at(-1);
      return last === undefined ? NOTHING : this.#facts(last, truth);
    }
    if (node.type === 'Pipeline') {
      const [only, ...others] = node.commands;
      if (only === undefined || others.length > 0) return NOTHING;
      const negations = node.prefixes.filter(({ type }) => type === 'Negation').length;
      return this.#facts(only, negations % 2 === 0 ? truth : !truth);
    }
    const operator = truth ? '&&' : '||';
    if (node.type !== 'AndOr' || node.operators.some((each) => each !== operator)) return NOTHING;
    return node.commands.flatMap((command) => this.#facts(command, truth));
  }
}

function factsOf(expression: TestExpression, truth: boolean): readonly Fact[] {
  switch (expression.type) {
    case 'TestNot':
      return factsOf(expression.operand, expression.negations.length % 2 === 0 ? truth : !truth);
    case 'TestGroup':
      return factsOf(expression.expression, truth);
    case 'TestLogical':
      return expression.operator === (truth ? '&&' : '||')
        ? expression.operands.flatMap((operand) => factsOf(operand, truth))
        : NOTHING;
    case 'TestBinary': {
      const [, name] = VARIABLE.exec(expression.left.text) ?? [];
      const matched = truth && expression.operator === '=~' ? matchedBy(expression.right.text) : undefined;
      return name === undefined || matched === undefined ? NOTHING : [{ name, matched }];
    }
    case 'TestUnary':
      return NOTHING;
  }
}

const VARIABLE = /^"?\$\{?(\w+)(?::?-)?\}?"?$/;
