import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { mayRun, scenariosOf } from '../reachability/outsider-reach.ts';
import { PullRequestNames } from './pull-request-refs.ts';
import { RefTracer } from './ref-provenance.ts';

/**
 * Approval of a run that was found by the name of an outsider's branch, which other forks can use as well. If it is not
 * `encoded`, the name is inserted into an address, where an `&` in it adds query conditions.
 */
export interface ApprovalByName {
  readonly step: Step;
  readonly span: Span;
  readonly what: 'run' | 'deployment';
  readonly event: string;
  readonly source: string;
  readonly encoded: boolean;
}

const EVENTS: ReadonlySet<string> = new Set(['pull_request_target', 'issue_comment', 'workflow_run']);

export function approvalsByName(job: Job, repository: Repository): ApprovalByName[] {
  const approving = job.steps.flatMap((step) => approvalIn(step) ?? []);
  const last = approving.at(-1);
  if (last === undefined || job.steps.slice(0, last.step.index + 1).some(comparesCommits)) return [];
  const found = new Map<Step, ApprovalByName>();
  for (const trigger of job.workflow.triggers) {
    const { event } = trigger;
    if (!EVENTS.has(event)) continue;
    const names = new PullRequestNames(event, trigger, repository);
    const reader = new QueryReader(new RefTracer(repository, event), names);
    const scenarios = scenariosOf({ event, trigger }).map((scenario) => ({ ...scenario, by: 'member' as const }));
    const running = job.steps.filter((step) => scenarios.some((scenario) => mayRun(step, scenario)));
    for (const { step, span, what } of approving) {
      if (found.has(step) || !running.includes(step)) continue;
      const query = reader.queryBefore(step, running);
      if (query !== undefined) found.set(step, { step, span, what, event, ...query });
    }
  }
  return [...found.values()];
}

const ROUTE = /\/actions\/runs\/[^\n]{1,200}?\/(?:(approve)|pending_deployments)(?![\w/])/;

function approvalIn(step: Step): Pick<ApprovalByName, 'step' | 'span' | 'what'> | undefined {
  const script = scriptOf(step)?.slice(0, MAX_SCRIPT);
  if (script !== undefined) {
    const span = step.uses?.text.span ?? step.span;
    if (script.includes('reviewPendingDeploymentsForRun')) return { step, span, what: 'deployment' };
    return script.includes('approveWorkflowRun') ? { step, span, what: 'run' } : undefined;
  }
  if (!/\/approve\b|pending_deployments/.test(step.run?.value ?? '')) return undefined;
  for (const command of commandsOf(step)) {
    const route = ROUTE.exec(command.text.slice(0, MAX_COMMAND));
    if (route === null) continue;
    if (route[1] !== undefined) return { step, span: command.span, what: 'run' };
    if (/\bstate=approved\b|"state"\s*:\s*\\?"approved/.test(command.text)) {
      return { step, span: command.span, what: 'deployment' };
    }
  }
  return undefined;
}

const MAX_SCRIPT = 20_000;
const MAX_COMMAND = 2_000;

function scriptOf(step: Step): string | undefined {
  return actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script')?.value : undefined;
}

function comparesCommits(step: Step): boolean {
  return /head_?sha|head_?repo|headRefOid/i.test(scriptOf(step) ?? step.run?.value ?? '');
}

type Query = Pick<ApprovalByName, 'source' | 'encoded'>;

class QueryReader {
  readonly #tracer: RefTracer;
  readonly #names: PullRequestNames;

  constructor(tracer: RefTracer, names: PullRequestNames) {
    this.#tracer = tracer;
    this.#names = names;
  }

  queryBefore(last: Step, steps: readonly Step[]): Query | undefined {
    for (const step of steps.filter(({ index }) => index <= last.index).reverse()) {
      const query = this.#queryIn(step);
      if (query !== undefined) return query;
    }
    return undefined;
  }

  #queryIn(step: Step): Query | undefined {
    const script = scriptOf(step)?.slice(0, MAX_SCRIPT);
    if (script !== undefined) return this.#queryOfScript(script, step);
    if (!/\bbranch\b|\s-b\b/.test(step.run?.value ?? '')) return undefined;
    const encodes = ENCODES.test(step.run?.value ?? '');
    for (const command of commandsOf(step)) {
      for (const { word, inAddress } of branchWords(command)) {
        const origin = this.#tracer.ofWord(word, step).find((each) => this.#names.of(each) === 'branch');
        if (origin !== undefined) return { source: origin.path, encoded: encodes || !inAddress };
      }
    }
    return undefined;
  }

  #queryOfScript(script: string, step: Step): Query | undefined {
    const [, inAddress] = IN_ADDRESS.exec(script) ?? [];
    const given = inAddress ?? GIVEN.exec(script)?.[1];
    if (given === undefined || !/listWorkflowRuns|\/runs\b/.test(script)) return undefined;
    const source = this.#branchOf(given, script, step);
    return source === undefined ? undefined : { source, encoded: inAddress === undefined };
  }

  #branchOf(value: string, script: string, step: Step): string | undefined {
    const text = assignedIn(script, value) ?? value;
    if (/\.head\.ref\b/.test(text)) return 'the head branch';
    if (/payload\.workflow_run\.head_branch\b/.test(text)) return 'github.event.workflow_run.head_branch';
    const [, variable] = /process\.env\.(\w{1,100})/.exec(text) ?? [];
    const stated = variable === undefined ? undefined : environmentValue(variable, step);
    const origins = stated === undefined ? [] : this.#tracer.ofText(stated.text, step);
    return origins.find((each) => this.#names.of(each) === 'branch')?.path;
  }
}

function assignedIn(script: string, name: string): string | undefined {
  const assignments = script.matchAll(/\b(?:const|let|var)\s{1,5}(\w+)\s{0,5}=([^;\n]{1,300})/g);
  return [...assignments].find(([, assigned]) => assigned === name)?.[2];
}

const ENCODES = /@uri\b|urlencode|encodeURIComponent|urllib\.parse|quote\(/;
const IN_ADDRESS = /[?&]branch=\$\{\s*([\w.]{1,200})\s*\}/;
const GIVEN = /\bbranch\s*:\s*([\w.]{1,200})/;

interface BranchWord {
  readonly word: ShellWord;
  readonly inAddress: boolean;
}

function branchWords({ program, args }: ShellCommand): BranchWord[] {
  if (program === 'gh' && args[0]?.value === 'run' && args[1]?.value === 'list') {
    return args.flatMap((word, index): BranchWord[] => {
      const follows = /^(?:-b|--branch)$/.test(args[index - 1]?.value ?? '');
      return follows || word.value.startsWith('--branch=') ? [{ word, inAddress: false }] : [];
    });
  }
  if (program !== 'curl' && !(program === 'gh' && args[0]?.value === 'api')) return [];
  return args.flatMap((word): BranchWord[] => {
    if (/\/runs\?(?:\S{0,200}&)?branch=\$/.test(word.value)) return [{ word, inAddress: true }];
    return word.value.startsWith('branch=') ? [{ word, inAddress: false }] : [];
  });
}
