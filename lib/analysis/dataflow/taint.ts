import { EVENT_CONTEXTS } from '#lib/data/event-contexts.generated.ts';
import { type ExpressionNode, expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Action,
  type Definition,
  type Job,
  jobOf,
  type Step,
  type Text,
  type Variables,
  type Workflow,
} from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { RepositoryMemo } from '../memo.ts';
import { approvalBefore } from '../reachability/approvals.ts';
import { dispatchesTo } from '../reachability/dispatches.ts';
import { reachOf } from '../reachability/events.ts';
import {
  mayRun,
  type OutsiderEvent,
  outsiderEvents,
  scenariosOf,
  workflowOutsiderEvents,
} from '../reachability/outsider-reach.ts';
import { payloadFieldAt } from './event-payload-fields.ts';
import { scriptValues } from './github-script-values.ts';
import { sourcesOfName } from './output-file-values.ts';
import { isSanitizedBefore } from './sanitizers.ts';
import { distinct, rank, type Taint } from './taint-order.ts';
import { PASSING_ACTIONS, TAINTED_OUTPUTS } from './tainted-action-outputs.ts';
import { type ScriptSource, sourcesOfWord } from './value-sources.ts';

/** What the person who causes the event writes with it; the issue or pull request below it may be somebody else's. */
const OWN_WORDS = /^github\.event\.(?:comment|review)\./;

/** How many names a value is followed through. */
const MAX_DEPTH = 6;

/** Several rules ask about the same expressions. */
const taintsByPlace = new RepositoryMemo<Step | Job, ExpressionNode, readonly Taint[]>();

/** Everything untrusted that an expression standing at a step or job may evaluate to. */
export function taintsOf(node: ExpressionNode, at: Step | Job, repository: Repository): readonly Taint[] {
  return taintsByPlace.get(repository, at, node, () => new Tracer(repository).trace(node, at, [], 0));
}

/** The same for a name that stands in no expression: `['env', 'TITLE']`. */
export function taintsOfPath(path: readonly string[], at: Step | Job, repository: Repository): readonly Taint[] {
  return new Tracer(repository).trace({ type: 'access', path, indexes: [] }, at, [], 0);
}

/** The same for every expression of a text. */
export function taintsIn(text: Text, at: Step | Job, repository: Repository): Taint[] {
  return expressionsIn(text).flatMap((expression) =>
    expression.node === undefined ? [] : taintsOf(expression.node, at, repository),
  );
}

/**
 * Whether any expression of a file can hold what an outsider wrote: told by what starts the file, without reading its
 * scripts. Of a composite action nothing is known.
 */
export function mayHoldOutsiderText(definition: Definition, repository: Repository): boolean {
  if (definition.kind === 'action') return true;
  return workflowOutsiderEvents(definition, repository).length > 0 || dispatchesTo(definition, repository).length > 0;
}

/** Values looked at for one expression, or for one output on the way to it. */
const MAX_TRACED_VALUES = 500;

/**
 * What outputs of steps and jobs hold, and what dispatches give a workflow, by depth and name: outputs may be made of each
 * other many times over, and each is followed once.
 */
const namedTaints = new RepositoryMemo<Step | Job | Workflow, string, readonly Taint[]>();

class Tracer {
  readonly #repository: Repository;
  #traced = 0;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  trace(node: ExpressionNode, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    this.#traced += 1;
    if (depth > MAX_DEPTH || this.#traced > MAX_TRACED_VALUES) return [];
    return flowingAccesses(node).flatMap((access) => this.#traceAccess(access.path, at, via, depth));
  }

  /** What is found once for everybody who comes by, at this depth; what differs only by its way counts once. */
  #traceNamed(
    part: Step | Job | Workflow,
    name: string,
    via: readonly string[],
    depth: number,
    find: (tracer: Tracer) => readonly Taint[],
  ): Taint[] {
    this.#traced += 1;
    if (this.#traced > MAX_TRACED_VALUES) return [];
    const taints = namedTaints.get(this.#repository, part, `${depth} ${name}`, () =>
      distinct(find(new Tracer(this.#repository))),
    );
    return taints.map((taint) => ({ ...taint, via: [...via, ...taint.via] }));
  }

  #traceAccess(path: readonly string[], at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const [context = '', first, second, third] = path;
    const name = path.join('.');
    const through = [...via, name];
    switch (context) {
      case 'github':
        return this.#traceGithub(path, at, via, depth);
      case 'env':
        return first === undefined ? [] : this.#traceEnvironment(first, at, through, depth);
      case 'inputs':
        return this.#traceInput(first ?? '*', at, via, depth);
      case 'steps':
        return second === 'outputs' ? this.#traceStepOutput(first ?? '', third ?? '*', at, through, depth) : [];
      case 'needs':
      case 'jobs':
        return second === 'outputs' ? this.#traceJobOutput(first ?? '', third ?? '*', at, through, depth) : [];
      case 'matrix':
        return this.#traceMatrix(jobAt(at)?.matrix, at, through, depth);
      default:
        return [];
    }
  }

  #traceText(
    value: { readonly text: Text; readonly at: Step | Job } | undefined,
    at: Step | Job,
    via: readonly string[],
    depth: number,
  ): Taint[] {
    if (value === undefined) return [];
    return expressionsIn(value.text).flatMap((expression) =>
      expression.node === undefined ? [] : this.trace(expression.node, value.at ?? at, via, depth + 1),
    );
  }

  #traceGithub(path: readonly string[], at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const definition = definitionAt(at);
    const source = path.join('.');
    if (isSanitizedBefore(source, at)) return [];
    if (definition.kind === 'action') {
      // A composite action runs under its caller's events: whatever any event can hold may stand there.
      const worst = worstOfAllEvents(path);
      return worst === undefined ? [] : [{ ...worst, source, via, reach: 'trusted', event: '*' }];
    }
    const outsiders = outsiderEvents(at, this.#repository);
    const reached = new Map(outsiders.map(({ event, reach }) => [event, reach]));
    for (const event of this.#answeredByMembers(path, at, definition)) reached.set(event, 'outsider-privileged');
    const events = new Set([...reached.keys(), ...trustedEvents(definition, this.#repository)]);
    const taints: Taint[] = [];
    for (const event of events) {
      const found = payloadFieldAt(path, event);
      if (found === undefined || (event === 'workflow_dispatch' && takesNoText(definition, path))) continue;
      const asked = outsiders.some(
        (outsider) => outsider.event === event && OWN_WORDS.test(source) && this.#isAsked(at, outsider),
      );
      taints.push(
        asked
          ? { ...found, source, via, event, writer: 'member', reach: 'trusted' }
          : { ...found, source, via, event, reach: reached.get(event) ?? 'trusted' },
      );
    }
    const [, , part, key] = path;
    if (part === 'inputs' || part === 'client_payload') {
      taints.push(...this.#traceDispatch(definition, part, key ?? '*', [...via, source], depth));
    }
    return taints;
  }

  /** Whether a step looks up the permission of who caused the event before their words are read. */
  #isAsked(at: Step | Job, outsider: OutsiderEvent): boolean {
    return approvalBefore(at, outsider, this.#repository) === 'permission';
  }

  /** What steps of the repository give a workflow that they start themselves. */
  #traceDispatch(
    workflow: Workflow,
    part: 'inputs' | 'client_payload',
    name: string,
    via: readonly string[],
    depth: number,
  ): Taint[] {
    return this.#traceNamed(workflow, `${part} ${name}`, via, depth, (tracer) =>
      tracer.#findGiven(workflow, part, name, depth),
    );
  }

  #findGiven(workflow: Workflow, part: 'inputs' | 'client_payload', name: string, depth: number): Taint[] {
    const event = part === 'inputs' ? 'workflow_dispatch' : 'repository_dispatch';
    const declared = workflow.triggers
      .flatMap(({ inputs }) => inputs)
      .find((input) => input.name.toLowerCase() === name);
    if (part === 'inputs' && declared !== undefined && !TEXT_INPUTS.has(declared.type)) return [];
    return dispatchesTo(workflow, this.#repository)
      .filter((dispatch) => dispatch.event === event)
      .flatMap(({ step, values }) =>
        values
          .filter((value) => name === '*' || value.name === '*' || value.name === name)
          .flatMap(({ value }) =>
            'text' in value
              ? sourcesOfWord(value, step).flatMap((source) => this.#traceSource(source, step, [], depth))
              : value.flatMap(({ node }) => (node === undefined ? [] : this.trace(node, step, [], depth + 1))),
          ),
      );
  }

  /**
   * A check of who comments says nothing about who wrote the issue: a member's comment starts the run, and the issue's
   * title and body are still an outsider's.
   */
  #answeredByMembers(path: readonly string[], at: Step | Job, workflow: Workflow): string[] {
    const root = path[2];
    if (root !== 'issue' && root !== 'discussion') return [];
    return workflowOutsiderEvents(workflow, this.#repository)
      .filter((candidate) => candidate.event === 'issue_comment' || candidate.event === 'discussion_comment')
      .filter((candidate) => scenariosOf(candidate).some((scenario) => mayRun(at, { ...scenario, by: 'member' })))
      .map(({ event }) => event);
  }

  #traceInput(name: string, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const definition = definitionAt(at);
    const source = `inputs.${name}`;
    if (isSanitizedBefore(source, at)) return [];
    if (definition.kind === 'action') return this.#traceActionInput(definition, name, via, depth);
    const taints: Taint[] = [];
    for (const trigger of definition.triggers) {
      const input = trigger.inputs.find((candidate) => candidate.name.toLowerCase() === name);
      if (input === undefined || !TEXT_INPUTS.has(input.type)) continue;
      const through = [...via, source];
      if (trigger.event === 'workflow_dispatch') {
        taints.push({ source, text: 'free', writer: 'member', reach: 'trusted', event: trigger.event, via });
        taints.push(...this.#traceDispatch(definition, 'inputs', name, through, depth));
      } else if (trigger.event === 'workflow_call') {
        for (const caller of this.#repository.callersOf(definition)) {
          const passed = caller.with?.get(input.name)?.value;
          if (passed !== undefined) taints.push(...this.#traceText({ text: passed, at: caller }, at, through, depth));
        }
        taints.push({ source, text: 'free', writer: 'caller', reach: 'trusted', event: trigger.event, via });
      }
    }
    return taints;
  }

  #traceActionInput(action: Action, name: string, via: readonly string[], depth: number): Taint[] {
    const source = `inputs.${name}`;
    const through = [...via, source];
    const taints: Taint[] = [{ source, text: 'free', writer: 'caller', reach: 'trusted', event: '*', via }];
    for (const step of stepsCalling(action, this.#repository)) {
      const passed = step.with?.get(name)?.value;
      if (passed !== undefined) taints.push(...this.#traceText({ text: passed, at: step }, step, through, depth));
    }
    return taints;
  }

  #traceStepOutput(id: string, name: string, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const step = stepsById(at.kind === 'step' ? at.parent : at).get(id);
    if (step === undefined) return [];
    return this.#traceNamed(step, name, via, depth, (tracer) => tracer.#findStepOutput(step, name, depth));
  }

  #findStepOutput(step: Step, name: string, depth: number): Taint[] {
    const reference = step.uses?.reference;
    if (reference?.kind === 'repository') return this.#traceActionOutput(reference.slug, name, step, [], depth);
    if (reference?.kind === 'local') {
      const action = this.#repository.actionAt(reference.path);
      const output = action === undefined ? undefined : outputValue(action.outputs, name);
      const last = action?.steps.at(-1);
      return output === undefined || last === undefined
        ? []
        : this.#traceText({ text: output, at: last }, step, [], depth);
    }
    return this.#traceWritten(step, 'output', name, [], depth);
  }

  #traceEnvironment(name: string, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const declared = environmentValue(name, at);
    if (declared !== undefined || at.kind === 'job') return this.#traceText(declared, at, via, depth);
    return at.parent.steps
      .slice(0, at.index)
      .flatMap((step) =>
        step.run?.value.includes('GITHUB_ENV') === true ? this.#traceWritten(step, 'env', name, via, depth) : [],
      );
  }

  /** `echo "name=…" >> $GITHUB_OUTPUT`: what the words of that command hold. */
  #traceWritten(step: Step, file: 'env' | 'output', name: string, via: readonly string[], depth: number): Taint[] {
    return sourcesOfName(step, file, name).flatMap((source) => this.#traceSource(source, step, via, depth));
  }

  #traceSource(source: ScriptSource, step: Step, via: readonly string[], depth: number): Taint[] {
    switch (source.kind) {
      case 'expression': {
        const { node } = source.expression;
        return node === undefined ? [] : this.trace(node, step, via, depth + 1);
      }
      case 'variable':
        return source.name === 'GITHUB_HEAD_REF'
          ? this.#traceGithub(['github', 'head_ref'], step, via, depth)
          : this.#traceEnvironmentOf(source.name, step, via, depth);
      case 'query':
        return this.#outsidersText(source.query.source, source.query.ref ? 'ref' : 'free', step, via);
      case 'file':
        return [];
    }
  }

  #traceEnvironmentOf(variable: string, step: Step, via: readonly string[], depth: number): Taint[] {
    return this.#traceText(environmentValue(variable, step), step, [...via, `$${variable}`], depth);
  }

  /** What the outputs of an action of another repository hold. */
  #traceActionOutput(slug: string, name: string, step: Step, via: readonly string[], depth: number): Taint[] {
    if (slug === 'actions/github-script') return this.#traceScriptOutput(step, name, via, depth);
    const passed = PASSING_ACTIONS[slug];
    if (passed !== undefined) {
      return passed.flatMap((input) => {
        const value = inputOf(step, input);
        return value === undefined ? [] : this.#traceText({ text: value, at: step }, step, via, depth);
      });
    }
    const known = TAINTED_OUTPUTS[slug];
    if (known === undefined || !(name === '*' || known.outputs.test(name)) || known.unless?.(step) === true) return [];
    return this.#outsidersText(`${slug} ${name}`, known.text, step, via);
  }

  #traceScriptOutput(step: Step, name: string, via: readonly string[], depth: number): Taint[] {
    return scriptValues(step, name).flatMap((value) =>
      value.kind === 'event'
        ? this.#traceGithub(value.path, step, via, depth)
        : this.#outsidersText(
            `the ${value.field} that a script looks up`,
            value.field === 'title' || value.field === 'body' ? 'free' : 'ref',
            step,
            via,
          ),
    );
  }

  #outsidersText(source: string, text: Taint['text'], step: Step, via: readonly string[]): Taint[] {
    return outsiderEvents(step, this.#repository).map(({ event, reach }) => ({
      source,
      text,
      writer: 'outsider',
      reach,
      event,
      via,
    }));
  }

  #traceJobOutput(id: string, name: string, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const job = jobAt(at)?.workflow.jobs.find((candidate) => candidate.id.toLowerCase() === id);
    if (job === undefined) return [];
    return this.#traceNamed(job, name, via, depth, (tracer) => tracer.#findJobOutput(job, name, depth));
  }

  #findJobOutput(job: Job, name: string, depth: number): Taint[] {
    const own = outputValue(job.outputs, name);
    if (own !== undefined) return this.#traceText({ text: own, at: job }, job, [], depth);
    const callee =
      job.uses?.reference?.kind === 'local' ? this.#repository.workflowAt(job.uses.reference.path) : undefined;
    const [inside] = callee?.jobs ?? [];
    const value = callee === undefined ? undefined : calledOutput(callee, name);
    return value === undefined || inside === undefined
      ? []
      : this.#traceText({ text: value, at: inside }, job, [], depth);
  }

  #traceMatrix(matrix: YamlNode | undefined, at: Step | Job, via: readonly string[], depth: number): Taint[] {
    const job = jobAt(at);
    if (matrix === undefined || job === undefined) return [];
    const texts: Text[] = [];
    const collect = (node: YamlNode): void => {
      if (node.kind === 'scalar') {
        if (node.text.includes('${{')) texts.push({ value: node.text, span: node.span, node });
      } else if (node.kind === 'sequence') node.items.forEach(collect);
      else for (const { value } of node.entries.values()) collect(value);
    };
    collect(matrix);
    return texts.flatMap((text) => this.#traceText({ text, at: job }, at, via, depth));
  }
}

/** `number`, `boolean` and `choice` inputs hold nothing that a writer may choose freely. */
const TEXT_INPUTS: ReadonlySet<string> = new Set(['string', 'environment']);

/** `github.event.inputs.<name>` of an input that is declared as anything else. */
function takesNoText({ triggers }: Workflow, [, , part, name]: readonly string[]): boolean {
  if (part !== 'inputs' || name === undefined) return false;
  const declared = triggers.flatMap(({ event, inputs }) => (event === 'workflow_dispatch' ? inputs : []));
  return declared.some((input) => input.name.toLowerCase() === name && !TEXT_INPUTS.has(input.type));
}

function worstOfAllEvents(path: readonly string[]): Pick<Taint, 'text' | 'writer'> | undefined {
  const found = Object.keys(EVENT_CONTEXTS).flatMap((event) => payloadFieldAt(path, event) ?? []);
  return found.sort((a, b) => rank(b) - rank(a))[0];
}

function trustedEvents(workflow: Workflow, repository: Repository): string[] {
  const own = workflow.triggers.map(({ event }) => event).filter((event) => reachOf(event) === 'trusted');
  const called = repository.callersOf(workflow).flatMap((caller) => caller.workflow.triggers.map(({ event }) => event));
  return [...own, ...called.filter((event) => reachOf(event) === 'trusted')];
}

function definitionAt(at: Step | Job): Workflow | Action {
  if (at.kind === 'job') return at.workflow;
  return at.parent.kind === 'job' ? at.parent.workflow : at.parent;
}

const stepsByParent = new WeakMap<Step['parent'], ReadonlyMap<string, Step>>();

/** By ids in lower case, the first of each. */
function stepsById(parent: Step['parent']): ReadonlyMap<string, Step> {
  let steps = stepsByParent.get(parent);
  if (steps === undefined) {
    const named = parent.steps.map((step) => [step.id?.value.toLowerCase() ?? '', step] as const);
    steps = new Map(named.reverse());
    stepsByParent.set(parent, steps);
  }
  return steps;
}

function jobAt(at: Step | Job): Job | undefined {
  return at.kind === 'job' ? at : jobOf(at);
}

function outputValue(outputs: Variables | undefined, name: string): Text | undefined {
  return outputs?.get(name)?.value;
}

/** `on.workflow_call.outputs.<name>.value` */
function calledOutput({ triggers }: Workflow, name: string): Text | undefined {
  const settings = triggers.find(({ event }) => event === 'workflow_call')?.settings;
  const outputs = valueOf(settings, 'outputs');
  if (outputs?.kind !== 'mapping') return undefined;
  for (const { key, value } of outputs.entries.values()) {
    const node = key.text.toLowerCase() === name ? valueOf(value, 'value') : undefined;
    if (node?.kind === 'scalar') return { value: node.text, span: node.span, node };
  }
  return undefined;
}

function stepsCalling(action: Action, repository: Repository): Step[] {
  const folder = action.source.path.replace(/(?:^|\/)action\.ya?ml$/, '');
  const steps: Step[] = [];
  for (const workflow of repository.workflows) {
    for (const job of workflow.jobs) {
      for (const step of job.steps) {
        const reference = step.uses?.reference;
        if (reference?.kind === 'local' && reference.path === folder) steps.push(step);
      }
    }
  }
  return steps;
}
