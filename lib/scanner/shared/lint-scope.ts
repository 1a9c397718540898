import { type Action, type Definition, type Job, type Step } from '#lib/workflow/model/model.ts';
import type { RuleContext } from '../engine/rule.ts';
import { contractOf, lacksOutput } from './action-contract.ts';

export interface AbsentValue {
  readonly message: 'unneeded' | 'output' | 'step' | 'unset' | 'input';
  readonly name: string;
}

function isNamedByUser({ with: inputs }: Step, output: string): boolean {
  if (inputs?.expression !== undefined) return true;
  const [prefix = output] = output.split(/_(?=any|all|only|other|changed|added|deleted|modified|files|count)/);
  return inputs?.entries.some(({ value }) => value.value.toLowerCase().includes(prefix.toLowerCase())) === true;
}

export class Scope {
  readonly places: readonly (Job | Step)[];
  readonly #jobs: ReadonlyMap<string, Job>;
  readonly #inputs: ReadonlySet<string>;
  readonly #steps = new Map<Job | Action, ReadonlyMap<string, Step>>();
  readonly #context: RuleContext;
  readonly #told = new Set<string>();

  constructor(definition: Definition, context: RuleContext) {
    this.#context = context;
    const jobs = definition.kind === 'workflow' ? definition.jobs : [];
    this.places = definition.kind === 'workflow' ? jobs.flatMap((job) => [job, ...job.steps]) : definition.steps;
    this.#jobs = new Map(jobs.map((job) => [job.id.toLowerCase(), job]));
    const inputs =
      definition.kind === 'workflow' ? definition.triggers.flatMap((trigger) => trigger.inputs) : definition.inputs;
    this.#inputs = new Set(inputs.map(({ name }) => name.toLowerCase()));
  }

  problemOf([context, name, kind, output]: readonly string[], at: Job | Step): AbsentValue | undefined {
    if (name === undefined || name === '*') return undefined;
    const owner = at.kind === 'job' ? at : at.parent;
    if (context === 'inputs') return this.#inputs.has(name) ? undefined : { message: 'input', name };
    if (context === 'steps') {
      const step = this.#stepsOf(owner).get(name);
      if (step === undefined || (at.kind === 'step' && step.index > at.index)) return { message: 'step', name };
      if (kind !== 'outputs' || output === undefined || output === '*') return undefined;
      const contract = contractOf(step, this.#context);
      if (contract === undefined || (!contract.isComposite && isNamedByUser(step, output))) return undefined;
      return lacksOutput(contract, output) ? { message: 'unset', name: contract.name } : undefined;
    }
    if (context !== 'needs' || owner.kind !== 'job') return undefined;
    if (!owner.needs.some((need) => need.toLowerCase() === name)) return { message: 'unneeded', name };
    const job = this.#jobs.get(name);
    if (job === undefined || kind !== 'outputs' || output === undefined || output === '*') return undefined;
    const unknown = job.uses !== undefined || job.outputs?.expression !== undefined;
    return unknown || job.outputs?.get(output) !== undefined ? undefined : { message: 'output', name };
  }

  isFirst(key: string): boolean {
    const size = this.#told.size;
    return this.#told.add(key).size > size;
  }

  #stepsOf(owner: Job | Action): ReadonlyMap<string, Step> {
    let steps = this.#steps.get(owner);
    if (steps === undefined) {
      const found = new Map<string, Step>();
      for (const step of owner.steps) {
        const name = step.id?.value.toLowerCase();
        if (name !== undefined && !found.has(name)) found.set(name, step);
      }
      steps = found;
      this.#steps.set(owner, steps);
    }
    return steps;
  }
}
