import { EVENT_CONTEXTS } from '#lib/data/generated/event-contexts.generated.ts';
import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Definition, Job, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { checkedOutBefore } from '../checkouts/checked-out-files.ts';
import { firstWith } from '../checkouts/placed-files.ts';
import { printsPullRequest } from '../checkouts/pull-request-commits.ts';
import { memoInRepository } from '../memo.ts';
import { approvalBefore } from '../reachability/approvals.ts';
import { directTriggers } from '../reachability/callers.ts';
import { holds } from '../reachability/conditions.ts';
import { dispatchesTo } from '../reachability/dispatches.ts';
import { reachOf } from '../reachability/events.ts';
import { followsOutsiderBranch } from '../reachability/followed-runs.ts';
import {
  mayRun,
  outsiderEvents,
  privilegedOutsiderEvents,
  scenariosOf,
  workflowOutsiderEvents,
} from '../reachability/outsider-reach.ts';
import { definitionAt, inputsNamed, type SourceDefinition } from '../values/definitions.ts';
import { type ScriptValue, scriptValues } from '../values/github-script-values.ts';
import { callersToJudge } from '../values/local-callers.ts';
import type { Query } from '../values/script-queries.ts';
import type { ScriptSource } from '../values/value-sources.ts';
import { ValueTracer } from '../values/value-tracer.ts';
import { payloadFieldAt, type TextKind, textOfAnswer } from './event-payload-fields.ts';
import { isLimited } from './limited-values.ts';
import { reachedFields } from './reached-operands.ts';
import { isSanitizedBefore } from './sanitizers.ts';
import { ANY_FIELD, distinct, rank, type Taint } from './taint-order.ts';
import { filesRead, returnsText, TAINTED_OUTPUTS } from './tainted-action-outputs.ts';

const TEXT_INPUTS: ReadonlySet<string> = new Set(['string', 'environment']);

const tracer = new ValueTracer<Taint>({
  found: taintsOfDefinition,
  isSanitized: (path, { at }, repository) => isSanitizedBefore(path.join('.'), at, repository),
  follows: ({ input }) => input === undefined || TEXT_INPUTS.has(input.type),
  accesses: reachedFields,
  pass: (taint, { via }, { fields }) => {
    const read = fields === '' ? taint : readFrom(taint, fields);
    return via === undefined || read === undefined ? read : { ...read, via: [via, ...read.via] };
  },
  distinct,
});

function readFrom(taint: Taint, fields: string): Taint | undefined {
  const { inside, ...read } = taint;
  if (inside === ANY_FIELD) {
    const text = textOfAnswer(fields);
    return text === undefined ? undefined : { ...read, text, source: `${fields} of ${taint.source}` };
  }
  if (inside !== undefined) return inside === fields.toLowerCase() ? read : undefined;
  if (!/^github(?:\.event(?:\.|$)|$)/.test(taint.source)) return taint;
  const source = `${taint.source}.${fields}`;
  const found = payloadFieldAt(source.split('.'), taint.event);
  return found === undefined ? undefined : { ...taint, ...found, source };
}

export function taintsOf(node: ExpressionNode, at: Step | Job, repository: Repository): readonly Taint[] {
  return tracer.ofNode(node, { at }, repository);
}

export function taintsOfPath(path: readonly string[], at: Step | Job, repository: Repository): readonly Taint[] {
  return tracer.ofAccess({ path }, { at }, repository);
}

export function taintsIn(text: Text, at: Step | Job, repository: Repository): Taint[] {
  return expressionsIn(text).flatMap((expression) =>
    expression.node === undefined ? [] : taintsOf(expression.node, at, repository),
  );
}

/**
 * True if text that an action's step reads comes from this caller's run: text from inputs may come from another caller.
 */
export function isFromRun({ via, event }: Taint, caller: Step, repository: Repository): boolean {
  return via.length === 0 && privilegedOutsiderEvents(caller, repository).some((each) => each.event === event);
}

export function taintsOfVariable(name: string, step: Step, repository: Repository): readonly Taint[] {
  return tracer.ofVariable(name, step, repository).filter(isReadWhole);
}

function isReadWhole({ inside }: Taint): boolean {
  return inside === undefined;
}

export function taintsOfSource(source: ScriptSource, step: Step, repository: Repository): readonly Taint[] {
  const taints = tracer.ofSource(source, step, repository);
  const { fields } = source;
  const read = fields === undefined ? taints : taints.flatMap((taint) => taken(taint, fields));
  return read.filter(isReadWhole);
}

function taken(taint: Taint, fields: readonly string[]): readonly Taint[] {
  if (taint.inside === undefined && !OBJECT.test(taint.source)) return [taint];
  return fields.flatMap((each) => readFrom(taint, each) ?? []);
}

const OBJECT =
  /^github(?:\.event(?:\.(?:client_payload|comment|discussion|inputs|issue|pull_request|release|review|workflow_run))?)?$/;

export function mayHoldOutsiderText(definition: Definition, repository: Repository): boolean {
  if (definition.kind === 'action' || isCalledElsewhere(definition, repository)) return true;
  return workflowOutsiderEvents(definition, repository).length > 0 || dispatchesTo(definition, repository).length > 0;
}

function taintsOfDefinition({ source, at }: SourceDefinition, repository: Repository): readonly Taint[] {
  switch (source.kind) {
    case 'event':
      return eventTaints(source.path, at, repository);
    case 'input': {
      const writer = source.event === 'workflow_dispatch' ? 'member' : 'caller';
      return [
        { source: `inputs.${source.name}`, text: 'free', writer, reach: 'trusted', event: source.event, via: [] },
      ];
    }
    case 'output':
      return outputTaints(source.step, source.name, repository);
    case 'query':
      return queryTaints(source.query, at, repository);
    case 'file':
      return at.kind === 'step' ? fileTaints(source.operand, at, repository) : [];
  }
}

/** Files of artifacts are judged where they are downloaded. */
function fileTaints(operand: string, step: Step, repository: Repository): Taint[] {
  const checkouts = checkedOutBefore(step, repository);
  const found = checkouts.length === 0 ? undefined : firstWith(operand, checkouts, step);
  if (found === undefined) return [];
  return outsiderTaints(`the pull request’s file ${operand}`, 'free', found.step, repository);
}

function eventTaints(path: readonly string[], at: Step | Job, repository: Repository): Taint[] {
  const file = definitionAt(at);
  const source = path.join('.');
  if (file.kind === 'action') {
    const callers = callersToJudge(file, repository);
    if (callers !== undefined) {
      const taints = callers.flatMap((caller) => eventTaints(path, caller, repository));
      return taints.filter(({ event }) => at.kind === 'job' || holds(at.condition, { event }) !== false);
    }
    const worst = worstOfAllEvents(path);
    return worst === undefined ? [] : [{ ...worst, source, via: [], reach: 'trusted', event: '*' }];
  }
  if (OF_PRIVILEGED_EVENTS.test(source) && isCalledElsewhere(file, repository)) {
    const worst = worstOfAllEvents(path);
    return worst === undefined ? [] : [{ ...worst, source, via: [], reach: 'trusted', event: '*' }];
  }
  const ofBranch = OF_FOLLOWED_BRANCH.test(source);
  const outsiders = outsiderEvents(at, repository).filter(
    (each) => (!ofBranch || followsOutsiderBranch(at, each)) && !isLimited(source, at, each, repository),
  );
  const reached = new Map(outsiders.map(({ event, reach }) => [event, reach]));
  for (const event of eventsOfMembers(path, at, file, repository)) reached.set(event, 'outsider-privileged');
  const taints: Taint[] = [];
  for (const event of new Set([...reached.keys(), ...trustedEvents(file, repository)])) {
    const found = payloadFieldAt(path, event);
    if (found === undefined || (event === 'workflow_dispatch' && takesNoText(file, path))) continue;
    const approved = outsiders.some(
      (outsider) =>
        outsider.event === event &&
        WRITTEN_BY_ACTOR.test(source) &&
        approvalBefore(at, outsider, repository) === 'permission',
    );
    taints.push(
      approved
        ? { ...found, source, via: [], event, writer: 'member', reach: 'trusted' }
        : { ...found, source, via: [], event, reach: reached.get(event) ?? 'trusted' },
    );
  }
  return taints;
}

const OF_PRIVILEGED_EVENTS = /^github\.event\.(?:comment|discussion|issue)\./;

function isCalledElsewhere(workflow: Workflow, repository: Repository): boolean {
  const { triggers } = workflow;
  return (
    triggers.length > 0 &&
    triggers.every(({ event }) => event === 'workflow_call') &&
    repository.callersOf(workflow).length === 0
  );
}

const OF_FOLLOWED_BRANCH = /^github\.event\.workflow_run\.head_(?:branch|commit|repository)\b/;

const WRITTEN_BY_ACTOR = /^github\.event\.(?:comment|review)\./;

function worstOfAllEvents(path: readonly string[]): Pick<Taint, 'text' | 'writer'> | undefined {
  const found = Object.keys(EVENT_CONTEXTS).flatMap((event) => payloadFieldAt(path, event) ?? []);
  return found.sort((a, b) => rank(b) - rank(a))[0];
}

function eventsOfMembers(
  path: readonly string[],
  at: Step | Job,
  workflow: Workflow,
  repository: Repository,
): string[] {
  const root = path[2];
  return root === 'issue' || root === 'discussion' ? memberComments(at, workflow, repository) : [];
}

function memberComments(at: Step | Job, workflow: Workflow, repository: Repository): string[] {
  return workflowOutsiderEvents(workflow, repository)
    .filter((candidate) => candidate.event === 'issue_comment' || candidate.event === 'discussion_comment')
    .filter((candidate) => scenariosOf(candidate).some((scenario) => mayRun(at, { ...scenario, by: 'member' })))
    .map(({ event }) => event);
}

function memberTaints(source: string, text: TextKind, at: Step | Job, repository: Repository): Taint[] {
  const file = definitionAt(at);
  const events = file.kind === 'action' ? [] : memberComments(at, file, repository);
  return events.map((event) => ({ source, text, writer: 'outsider', reach: 'outsider-privileged', event, via: [] }));
}

const trustedEvents = memoInRepository((workflow: Workflow, repository): ReadonlySet<string> => {
  return new Set(
    directTriggers(workflow, repository).flatMap(({ event }) => (reachOf(event) === 'trusted' ? [event] : [])),
  );
});

function takesNoText({ triggers }: Workflow, [, , part, name]: readonly string[]): boolean {
  if (part !== 'inputs' || name === undefined) return false;
  return triggers.some(
    ({ event, inputs }) =>
      event === 'workflow_dispatch' && inputsNamed(inputs, name).some(({ type }) => !TEXT_INPUTS.has(type)),
  );
}

function outputTaints(step: Step, name: string, repository: Repository): readonly Taint[] {
  const reference = step.uses?.reference;
  if (reference?.kind !== 'repository') return [];
  const { slug } = reference;
  if (slug === 'actions/github-script') return scriptTaints(step, name, repository);
  const known = TAINTED_OUTPUTS[slug];
  if (known === undefined) return guessedTaints(step, name, repository);
  if (!(name === '*' || known.outputs.test(name)) || known.unless?.(step) === true) return [];
  const taints = outsiderTaints(`${slug} ${name}`, known.text, step, repository);
  return known.json?.test(name) === true ? taints.map((taint) => ({ ...taint, inside: ANY_FIELD })) : taints;
}

function guessedTaints(step: Step, name: string, repository: Repository): Taint[] {
  const via = [actionOf(step)?.slug ?? ''];
  const files = filesRead(step).flatMap((file) => fileTaints(file, step, repository));
  const texts = returnsText(step, name) ? outsiderTaints('the text it is about', 'structured', step, repository) : [];
  return [...files, ...texts].map((taint) => ({ ...taint, via }));
}

function scriptTaints(step: Step, name: string, repository: Repository): Taint[] {
  return scriptValues(step, name).flatMap((value) => {
    const taints = valueTaints(value, step, repository);
    const inside = value.inside ?? (value.kind === 'lookup' && value.field === undefined ? ANY_FIELD : undefined);
    return inside === undefined ? taints : taints.map((taint) => ({ ...taint, inside }));
  });
}

function valueTaints(value: ScriptValue, step: Step, repository: Repository): readonly Taint[] {
  if (value.kind === 'event') return taintsOfPath(value.path, step, repository);
  if (value.kind === 'printed') return printedTaints(`what git ${value.verb} prints`, undefined, step, repository);
  if (value.field === undefined) return outsiderTaints('what a script looks up', 'free', step, repository);
  const text = value.field === 'title' || value.field === 'body' ? 'free' : 'ref';
  return outsiderTaints(`the ${value.field} that a script looks up`, text, step, repository);
}

function queryTaints({ source, ref, git, whole }: Query, at: Step | Job, repository: Repository): Taint[] {
  if (git !== undefined) return printedTaints(source, git, at, repository);
  const text = ref ? 'ref' : 'free';
  const taints = [...outsiderTaints(source, text, at, repository), ...memberTaints(source, text, at, repository)];
  return whole === true ? taints.map((taint) => ({ ...taint, inside: ANY_FIELD })) : taints;
}

function printedTaints(
  source: string,
  command: ShellCommand | undefined,
  at: Step | Job,
  repository: Repository,
): Taint[] {
  const file = definitionAt(at);
  const callers = file.kind === 'action' ? (callersToJudge(file, repository) ?? []) : [at];
  return callers.flatMap((caller) =>
    caller.kind === 'job'
      ? []
      : outsiderEvents(caller, repository)
          .filter((each) => printsPullRequest(command, caller, each, repository))
          .map(({ event, reach }) => ({ source, text: 'free', writer: 'outsider', reach, event, via: [] })),
  );
}

function outsiderTaints(source: string, text: TextKind, at: Step | Job, repository: Repository): Taint[] {
  const file = definitionAt(at);
  const callers = file.kind === 'action' ? (callersToJudge(file, repository) ?? []) : [at];
  const elsewhere: Pick<Taint, 'event' | 'reach'>[] =
    file.kind === 'workflow' && isCalledElsewhere(file, repository) ? [{ event: '*', reach: 'trusted' }] : [];
  const events = [...elsewhere, ...callers.flatMap((caller) => outsiderEvents(caller, repository))];
  return events.map(({ event, reach }) => ({ source, text, writer: 'outsider', reach, event, via: [] }));
}
