import type { Diagnostic } from './diagnostic.ts';
import type { Action, Dependabot, Job, ParsedFile, Workflow } from './model.ts';
import { parseAction } from './parse-action.ts';
import { parseDependabot } from './parse-dependabot.ts';
import { parseWorkflow } from './parse-workflow.ts';
import { GITHUB_COM, type Platform } from './platform.ts';
import { createSource, type SourceFile } from './source.ts';

/** A file as it was read: its path from the repository's root with `/`, and its text or why there is none. */
export interface InputFile {
  readonly path: string;
  readonly text: string | undefined;
  readonly problem?: Diagnostic;
}

/** Everything of one repository that rules look at. */
export interface Repository {
  readonly workflows: readonly Workflow[];
  readonly actions: readonly Action[];
  readonly dependabot: Dependabot | undefined;
  /** `.github/chainbreak.yml`, when there is one. */
  readonly config: SourceFile | undefined;
  /**
   * The account the repository belongs to, in lower case: as the caller knows it, else those that conditions of its
   * workflows compare the running repository with. Empty when nothing tells.
   */
  readonly owners: ReadonlySet<string>;
  /** Where its workflows run. */
  readonly platform: Platform;
  readonly files: readonly ParsedFile<Workflow | Action | Dependabot>[];
  /** The workflow whose `name` (or path, when it has none) is given, as `workflow_run` names it. */
  workflowNamed(name: string): Workflow | undefined;
  workflowAt(path: string): Workflow | undefined;
  /** The action in a folder of the repository. */
  actionAt(folder: string): Action | undefined;
  /** The jobs that call a reusable workflow of this repository. */
  callersOf(workflow: Workflow): readonly Job[];
}

export type FileKind = 'workflow' | 'action' | 'dependabot' | 'config';

/** What a path of a repository is to a scan; undefined for a file that no rule reads. */
export function fileKind(path: string): FileKind | undefined {
  if (/^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow';
  if (/(?:^|\/)action\.ya?ml$/.test(path)) return 'action';
  if (/^\.github\/dependabot\.ya?ml$/.test(path)) return 'dependabot';
  return /^\.github\/chainbreak\.ya?ml$/.test(path) ? 'config' : undefined;
}

/**
 * Parses the files of one repository; files of no interest are left out. Order of the input does not matter. `owner` is
 * the account it belongs to, when that is known; `platform` where its workflows run, github.com when left out.
 */
export function createRepository(
  inputs: readonly InputFile[],
  owner?: string,
  platform: Platform = GITHUB_COM,
): Repository {
  const files: ParsedFile<Workflow | Action | Dependabot>[] = [];
  const workflows: Workflow[] = [];
  const actions: Action[] = [];
  let dependabot: Dependabot | undefined;
  let config: SourceFile | undefined;
  for (const input of [...inputs].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = fileKind(input.path);
    if (kind === undefined) continue;
    const source = createSource(input.path, input.text ?? '');
    if (input.text === undefined) {
      const problem = input.problem ?? { severity: 'error', message: 'The file could not be read.' };
      files.push({ source, definition: undefined, diagnostics: [problem] });
      continue;
    }
    if (kind === 'config') {
      config ??= source;
      continue;
    }
    const parsed = PARSERS[kind](source);
    files.push(parsed);
    if (parsed.definition?.kind === 'workflow') workflows.push(parsed.definition);
    else if (parsed.definition?.kind === 'action') actions.push(parsed.definition);
    else dependabot ??= parsed.definition;
  }
  const owners = owner === undefined ? ownersNamedIn(workflows) : new Set([owner.toLowerCase()]);
  return { files, workflows, actions, dependabot, config, owners, platform, ...lookups(workflows, actions) };
}

function ownersNamedIn(workflows: readonly Workflow[]): Set<string> {
  const owners = workflows.flatMap(({ source }) =>
    [...source.text.matchAll(/\bgithub\.repository(?:_owner)?\s{0,9}==\s{0,9}'([\w.-]{1,100})/g)].map(([, name = '']) =>
      name.toLowerCase(),
    ),
  );
  return new Set(owners);
}

const PARSERS = { workflow: parseWorkflow, action: parseAction, dependabot: parseDependabot };

function lookups(
  workflows: readonly Workflow[],
  actions: readonly Action[],
): Pick<Repository, 'workflowNamed' | 'workflowAt' | 'actionAt' | 'callersOf'> {
  const byPath = new Map(workflows.map((workflow) => [workflow.source.path, workflow]));
  const byName = new Map(workflows.map((workflow) => [workflow.name?.value ?? workflow.source.path, workflow]));
  const byFolder = new Map(actions.map((action) => [action.source.path.replace(/(?:^|\/)action\.ya?ml$/, ''), action]));
  const callers = new Map<string, Job[]>();
  for (const workflow of workflows) {
    for (const job of workflow.jobs) {
      if (job.uses?.reference?.kind !== 'local') continue;
      const path = job.uses.reference.path;
      callers.set(path, [...(callers.get(path) ?? []), job]);
    }
  }
  return {
    workflowNamed: (name) => byName.get(name),
    workflowAt: (path) => byPath.get(path),
    actionAt: (folder) => byFolder.get(folder),
    callersOf: (workflow) => callers.get(workflow.source.path) ?? [],
  };
}
