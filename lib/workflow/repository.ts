import type { Action, Dependabot, Job, Lockfile, Step, Workflow } from './model/model.ts';
import { GITHUB_COM, type Platform } from './model/platform.ts';
import type { Repository, RepositoryFile } from './model/repository.ts';
import { parseAction } from './parse/action.ts';
import { parseDependabot } from './parse/dependabot.ts';
import { parseLockfile } from './parse/lockfile.ts';
import { parseWorkflow } from './parse/workflow.ts';
import type { Diagnostic } from './text/diagnostic.ts';
import { createSource, type SourceFile } from './text/source.ts';

export interface InputFile {
  readonly path: string;
  readonly text: string | undefined;
  readonly problem?: Diagnostic;
}

export type FileKind = 'workflow' | 'action' | 'dependabot' | 'lockfile' | 'config' | 'renovate';

export function fileKind(path: string): FileKind | undefined {
  if (/^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow';
  if (/(?:^|\/)action\.ya?ml$/.test(path)) return 'action';
  if (/^\.github\/dependabot\.ya?ml$/.test(path)) return 'dependabot';
  if (path === '.github/workflows/actions.lock') return 'lockfile';
  if (/^\.github\/chainbreak\.ya?ml$/.test(path)) return 'config';
  return /^(?:(?:\.github\/|\.gitlab\/)?renovate\.json5?|\.renovaterc(?:\.json5?)?)$/.test(path)
    ? 'renovate'
    : undefined;
}

/**
 * Parses the files of one repository, in any order. `name` is `owner/name` or only the owner; `partial` means that
 * files may be missing; `platform` defaults to github.com.
 */
export function createRepository(
  inputs: readonly InputFile[],
  name?: string,
  { partial = false, platform = GITHUB_COM }: { readonly partial?: boolean; readonly platform?: Platform } = {},
): Repository {
  const files: RepositoryFile[] = [];
  let config: SourceFile | undefined;
  let renovate: SourceFile | undefined;
  for (const input of [...inputs].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = fileKind(input.path);
    if (kind === undefined) continue;
    const source = createSource(input.path, input.text ?? '');
    if (kind === 'renovate') {
      renovate ??= source;
      continue;
    }
    if (input.text === undefined) {
      const problem = input.problem ?? { severity: 'error', message: 'The file could not be read.' };
      files.push({ source, definition: undefined, diagnostics: [problem] });
      continue;
    }
    if (kind === 'config') {
      config ??= source;
      continue;
    }
    files.push(PARSERS[kind](source));
  }
  const [owner, rest] = name?.toLowerCase().split('/') ?? [];
  const owners = owner === undefined ? undefined : new Set([owner]);
  const fullName = rest === undefined ? undefined : `${owner}/${rest}`;
  return assemble(files, { config, renovate, owners, fullName, partial, platform });
}

export function parseFile(source: SourceFile): RepositoryFile | undefined {
  const kind = fileKind(source.path);
  return kind === undefined || kind === 'config' || kind === 'renovate' ? undefined : PARSERS[kind](source);
}

export function withFiles(repository: Repository, files: readonly RepositoryFile[]): Repository {
  const { config, renovate, owners, fullName, partial, platform } = repository;
  return assemble(files, { config, renovate, owners, fullName, partial, platform });
}

const NO_USED_ACTIONS: ReadonlyMap<Step, Action> = new Map();

interface Rest extends Pick<Repository, 'config' | 'renovate' | 'fullName' | 'partial' | 'platform'> {
  readonly owners: ReadonlySet<string> | undefined;
}

function assemble(files: readonly RepositoryFile[], { owners, ...rest }: Rest): Repository {
  const workflows: Workflow[] = [];
  const actions: Action[] = [];
  let dependabot: Dependabot | undefined;
  let lockfile: Lockfile | undefined;
  for (const { definition } of files) {
    if (definition?.kind === 'workflow') workflows.push(definition);
    else if (definition?.kind === 'action') actions.push(definition);
    else if (definition?.kind === 'lockfile') lockfile = definition;
    else dependabot ??= definition;
  }
  return {
    files,
    workflows,
    actions,
    usedActions: NO_USED_ACTIONS,
    dependabot,
    lockfile,
    owners: owners ?? ownersNamedIn(workflows),
    ...rest,
    ...lookups(workflows, actions),
  };
}

function ownersNamedIn(workflows: readonly Workflow[]): Set<string> {
  const owners = workflows.flatMap(({ source }) =>
    [...source.text.matchAll(/\bgithub\.repository(?:_owner)?\s{0,9}==\s{0,9}'([\w.-]{1,100})/g)].map(([, name = '']) =>
      name.toLowerCase(),
    ),
  );
  return new Set(owners);
}

const PARSERS = { workflow: parseWorkflow, action: parseAction, dependabot: parseDependabot, lockfile: parseLockfile };

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
      const { path } = job.uses.reference;
      const known = callers.get(path);
      if (known === undefined) callers.set(path, [job]);
      else known.push(job);
    }
  }
  return {
    workflowNamed: (name) => byName.get(name),
    workflowAt: (path) => byPath.get(path),
    actionAt: (folder) => byFolder.get(folder),
    callersOf: (workflow) => callers.get(workflow.source.path) ?? [],
  };
}
