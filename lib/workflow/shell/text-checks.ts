import {
  type Elif,
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
    switch (node.type) {
      case 'Statement':
        return this.#visitList([node], node.end);
      case 'AndOr':
        return this.#visitChain(node);
      case 'If':
        return this.#visitIf(node);
      case 'While':
        this.#visit(node.clause);
        this.#add(this.#facts(node.clause, node.kind === 'while'), node.body.pos, node.body.end);
        return this.#visit(node.body);
      case 'CompoundList':
        return this.#visitList(node.commands, node.end);
      case 'Function':
        this.#functions.set(node.name.text, this.#leaving(node.body) === 'fails' ? 'fails' : undefined);
        return this.#visit(node.body);
      case 'For':
      case 'ArithmeticFor':
      case 'Select':
      case 'Subshell':
      case 'BraceGroup':
        return this.#visit(node.body);
      case 'Redirected':
        return this.#visit(node.command);
      case 'Case':
        for (const { body } of node.items) this.#visit(body);
        return;
      case 'Pipeline':
        for (const command of node.commands) this.#visit(command);
    }
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
    let from = then.end;
    const branches: readonly Pick<Elif, 'clause' | 'then'>[] = [{ clause, then }, ...elif];
    for (const branch of branches) {
      this.#visit(branch.clause);
      this.#add(this.#facts(branch.clause, true), branch.then.pos, branch.then.end);
      from = branch.then.end;
      this.#add(this.#facts(branch.clause, false), from, end);
      this.#visit(branch.then);
    }
    if (other !== undefined) this.#visit(other);
  }

  #after(node: Node): { readonly facts: readonly Fact[]; readonly leaving: Leaving } {
    const holds = (of: Node, truth: boolean, leaving: Leaving) => ({
      facts: leaving === undefined ? NOTHING : this.#facts(of, truth),
      leaving,
    });
    switch (node.type) {
      case 'TestCommand':
        return holds(node, true, this.#errexit ? 'fails' : undefined);
      case 'Redirected':
        return this.#after(node.command);
      case 'If': {
        const refused = holds(node.clause, false, this.#leaving(node.then));
        if (refused.facts.length > 0 || node.else === undefined || node.elif.length > 0) return refused;
        return holds(node.clause, true, this.#leaving(node.else));
      }
      case 'AndOr': {
        const [first, ...others] = node.commands;
        const last = others.at(-1);
        if (first === undefined || last === undefined) break;
        const leaving = this.#leaving(last);
        if (others.length === 1) return holds(first, node.operators[0] === '||', leaving);
        const before = node.operators.slice(0, -1);
        if (node.operators.at(-1) !== '||' || before.some((operator) => operator !== '&&')) break;
        const facts = node.commands.slice(0, -1).flatMap((command) => this.#facts(command, true));
        return { facts: leaving === undefined ? NOTHING : facts, leaving };
      }
    }
    return { facts: NOTHING, leaving: undefined };
  }

  #leaving(node: Node): Leaving {
    switch (node.type) {
      case 'CompoundList': {
        for (const { command } of node.commands) {
          const leaving = this.#leaving(command);
          if (leaving !== undefined) return leaving;
        }
        return undefined;
      }
      case 'BraceGroup':
        return this.#leaving(node.body);
      case 'Redirected':
        return this.#leaving(node.command);
      case 'Subshell':
        return this.#errexit && this.#leaving(node.body) === 'fails' ? 'fails' : undefined;
      case 'Command': {
        const name = node.name?.value ?? '';
        const [code] = node.args;
        if (name === 'exit') return code !== undefined && /^["']?[1-9]/.test(code.text) ? 'fails' : 'ends';
        if (name === 'return' || name === 'continue' || name === 'break') return 'ends';
        return name === 'false' && this.#errexit ? 'fails' : this.#functions.get(name);
      }
      default:
        return undefined;
    }
  }

  #facts(node: Node, truth: boolean): readonly Fact[] {
    switch (node.type) {
      case 'Statement':
        return this.#facts(node.command, truth);
      case 'CompoundList': {
        const last = node.commands.at(-1);
        return last === undefined ? NOTHING : this.#facts(last, truth);
      }
      case 'Pipeline': {
        const [only, ...others] = node.commands;
        if (only === undefined || others.length > 0) return NOTHING;
        const negations = node.prefixes.filter(({ type }) => type === 'Negation').length;
        return this.#facts(only, negations % 2 === 0 ? truth : !truth);
      }
      case 'AndOr': {
        const operator = truth ? '&&' : '||';
        if (node.operators.some((each) => each !== operator)) return NOTHING;
        return node.commands.flatMap((command) => this.#facts(command, truth));
      }
      case 'TestCommand':
        return factsOf(node.expression, truth);
      default:
        return NOTHING;
    }
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
    default:
      return NOTHING;
  }
}

const VARIABLE = /^"?\$\{?(\w+)(?::?-)?\}?"?$/;
