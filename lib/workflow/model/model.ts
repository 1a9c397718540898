import type { Diagnostic } from '../text/diagnostic.ts';
import type { SourceFile, Span } from '../text/source.ts';
import type { YamlEntry, YamlMapping, YamlNode, YamlScalar } from '../yaml/parse.ts';
import type { ActionReference } from './reference.ts';

export interface Text {
  readonly value: string;
  readonly span: Span;
  readonly node: YamlScalar;
}

/** A pair of `env`, `with`, `outputs` or `secrets`; `name` keeps its case. */
export interface Variable {
  readonly name: string;
  readonly key: YamlScalar;
  readonly value: Text;
  readonly span: Span;
}

export interface Variables {
  readonly entries: readonly Variable[];
  readonly span: Span;
  /** Set if one expression supplies the whole block (`env: ${{ fromJSON(…) }}`). */
  readonly expression: Text | undefined;
  get(name: string): Variable | undefined;
}

export interface Workflow {
  readonly kind: 'workflow';
  readonly source: SourceFile;
  readonly root: YamlMapping;
  readonly name: Text | undefined;
  readonly triggers: readonly Trigger[];
  readonly permissions: Permissions | undefined;
  readonly env: Variables | undefined;
  readonly defaultShell: Text | undefined;
  readonly concurrency: YamlEntry | undefined;
  readonly jobs: readonly Job[];
}

export interface Trigger {
  readonly event: string;
  readonly span: Span;
  readonly settings: YamlNode | undefined;
  readonly types: readonly string[] | undefined;
  readonly branches: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly workflows: readonly string[] | undefined;
  readonly inputs: readonly Input[];
}

export interface Input {
  readonly name: string;
  readonly span: Span;
  readonly type: string;
  readonly required: boolean;
  readonly defaultValue: Text | undefined;
  readonly deprecated: Text | undefined;
}

export type PermissionLevel = 'none' | 'read' | 'write';

export interface Permissions {
  readonly span: Span;
  readonly keySpan: Span;
  /** `read-all`, `write-all`, or undefined for a mapping (an empty one grants nothing). */
  readonly all: 'read-all' | 'write-all' | undefined;
  readonly scopes: readonly { readonly scope: string; readonly level: PermissionLevel; readonly span: Span }[];
  readonly node: YamlNode;
}

export interface Environment {
  readonly name: Text | undefined;
  readonly span: Span;
}

export interface Container {
  readonly image: Text | undefined;
  readonly options: Text | undefined;
  readonly username: Text | undefined;
  readonly password: Text | undefined;
  readonly env: Variables | undefined;
  readonly volumes: readonly Text[];
  readonly label: string;
  readonly span: Span;
}

export interface RunsOn {
  readonly labels: readonly Text[];
  readonly group: Text | undefined;
  readonly span: Span;
}

export interface Job {
  readonly kind: 'job';
  readonly workflow: Workflow;
  readonly id: string;
  readonly idSpan: Span;
  readonly mapping: YamlMapping;
  readonly span: Span;
  readonly name: Text | undefined;
  readonly needs: readonly string[];
  readonly condition: Text | undefined;
  readonly runsOn: RunsOn | undefined;
  readonly permissions: Permissions | undefined;
  readonly environment: Environment | undefined;
  readonly env: Variables | undefined;
  readonly outputs: Variables | undefined;
  readonly defaultShell: Text | undefined;
  readonly matrix: YamlNode | undefined;
  readonly container: Container | undefined;
  readonly services: readonly Container[];
  readonly steps: readonly Step[];
  readonly uses: Uses | undefined;
  readonly with: Variables | undefined;
  readonly secrets: Variables | undefined;
  readonly secretsInherit: Text | undefined;
}

export type CallJob = Job & { readonly uses: Uses };

export interface UsesSite {
  readonly uses: Uses;
  readonly reference: ActionReference | undefined;
  readonly at: Step | Job;
}

export interface Uses {
  readonly text: Text;
  readonly span: Span;
  readonly reference: ActionReference | undefined;
  readonly comment: string | undefined;
}

export interface Step {
  readonly kind: 'step';
  readonly parent: Job | Action;
  readonly index: number;
  readonly mapping: YamlMapping;
  readonly span: Span;
  readonly id: Text | undefined;
  readonly name: Text | undefined;
  readonly condition: Text | undefined;
  readonly uses: Uses | undefined;
  readonly run: Text | undefined;
  readonly runSpan: Span | undefined;
  readonly with: Variables | undefined;
  readonly env: Variables | undefined;
  readonly shell: Text | undefined;
  readonly workingDirectory: Text | undefined;
}

export interface Action {
  readonly kind: 'action';
  readonly source: SourceFile;
  readonly root: YamlMapping;
  readonly name: Text | undefined;
  readonly using: Text | undefined;
  readonly inputs: readonly Input[];
  readonly outputs: Variables | undefined;
  readonly steps: readonly Step[];
  readonly image: Text | undefined;
  readonly main: Text | undefined;
  /** Set for an action of another repository, which is read once for each step that uses it. */
  readonly usedBy?: Step;
}

export interface Dependabot {
  readonly kind: 'dependabot';
  readonly source: SourceFile;
  readonly root: YamlMapping;
  readonly registries: readonly string[];
  readonly updates: readonly DependabotUpdate[];
}

export interface DependabotUpdate {
  readonly ecosystem: Text | undefined;
  readonly mapping: YamlMapping;
  readonly span: Span;
}

export interface Lockfile {
  readonly kind: 'lockfile';
  readonly source: SourceFile;
  readonly root: YamlMapping;
  readonly version: Text | undefined;
  readonly versionKnown: boolean;
  readonly workflows: ReadonlyMap<string, { readonly key: YamlScalar; readonly pins: readonly LockfilePin[] }>;
  /** By pin (`owner/repo@ref`, names in lower case). */
  readonly actions: ReadonlyMap<string, LockedAction>;
}

export interface LockfilePin {
  readonly text: Text;
  readonly pin: string | undefined;
}

export interface LockedAction {
  readonly key: YamlScalar;
  readonly slug: string;
  readonly wantedRef: string;
  /** Ref that the commit was resolved from, possibly a more specific one. */
  readonly ref: Text | undefined;
  readonly commit: { readonly text: Text; readonly hash: string | undefined } | undefined;
  readonly ownerId: Text | undefined;
  readonly repositoryId: Text | undefined;
  readonly uses: readonly LockfilePin[];
}

export type Definition = Workflow | Action;

export interface ParsedFile<T> {
  readonly source: SourceFile;
  readonly definition: T | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export type RunStep = Step & { readonly run: Text };
export type Conditional = (Job | Step) & { readonly condition: Text };

export interface Contents {
  readonly definition: Definition;
  readonly workflows: readonly Workflow[];
  readonly actions: readonly Action[];
  readonly jobs: readonly Job[];
  readonly callJobs: readonly CallJob[];
  readonly steps: readonly Step[];
  readonly runs: readonly RunStep[];
  readonly uses: readonly UsesSite[];
  readonly conditions: readonly Conditional[];
}

const contentsByDefinition = new WeakMap<Definition, Contents>();

export function contentsOf(definition: Definition): Contents {
  let contents = contentsByDefinition.get(definition);
  if (contents === undefined) {
    contents = readContents(definition);
    contentsByDefinition.set(definition, contents);
  }
  return contents;
}

function readContents(definition: Definition): Contents {
  const jobs: Job[] = [];
  const callJobs: CallJob[] = [];
  const steps: Step[] = [];
  const runs: RunStep[] = [];
  const uses: UsesSite[] = [];
  const conditions: Conditional[] = [];
  const addStep = (step: Step): void => {
    steps.push(step);
    if (isRunStep(step)) runs.push(step);
    if (isConditional(step)) conditions.push(step);
  };
  for (const job of definition.kind === 'workflow' ? definition.jobs : []) {
    if (isConditional(job)) conditions.push(job);
    if (isCallJob(job)) {
      callJobs.push(job);
      uses.push({ uses: job.uses, reference: job.uses.reference, at: job });
    } else jobs.push(job);
    for (const step of job.steps) addStep(step);
  }
  if (definition.kind === 'action') for (const step of definition.steps) addStep(step);
  for (const step of steps) {
    if (step.uses !== undefined) uses.push({ uses: step.uses, reference: step.uses.reference, at: step });
  }
  const workflows = definition.kind === 'workflow' ? [definition] : [];
  const actions = definition.kind === 'action' ? [definition] : [];
  return { definition, workflows, actions, jobs, callJobs, steps, runs, uses, conditions };
}

function isRunStep(step: Step): step is RunStep {
  return step.run !== undefined;
}

function isConditional<Node extends Job | Step>(node: Node): node is Node & { readonly condition: Text } {
  return node.condition !== undefined;
}

function isCallJob(job: Job): job is CallJob {
  return job.uses !== undefined;
}

export function stepsOf(definition: Definition): readonly Step[] {
  return contentsOf(definition).steps;
}

export function definitionOf(node: Job | Step): Definition {
  if (node.kind === 'job') return node.workflow;
  return node.parent.kind === 'job' ? node.parent.workflow : node.parent;
}

/** Returns the job of a step; undefined in a composite action, which runs in its caller's. */
export function jobOf(step: Step): Job | undefined {
  return step.parent.kind === 'job' ? step.parent : undefined;
}

export function sourceOf(node: Job | Step | Definition): SourceFile {
  if (node.kind === 'step') return sourceOf(node.parent);
  return node.kind === 'job' ? node.workflow.source : node.source;
}
