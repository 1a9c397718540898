import type { SourceFile } from '../text/source.ts';
import type { Action, Dependabot, Job, Lockfile, ParsedFile, Step, Workflow } from './model.ts';
import type { Platform } from './platform.ts';

export type RepositoryFile = ParsedFile<Workflow | Action | Dependabot | Lockfile>;

/**
 * `owners`: in lower case, the owner as the caller knows it, else the accounts that conditions compare the running
 * repository with; empty if unknown. `renovate` has an empty text if only the name of its file is known.
 */
export interface Repository {
  readonly workflows: readonly Workflow[];
  readonly actions: readonly Action[];
  readonly usedActions: ReadonlyMap<Step, Action>;
  readonly dependabot: Dependabot | undefined;
  readonly lockfile: Lockfile | undefined;
  readonly config: SourceFile | undefined;
  readonly owners: ReadonlySet<string>;
  readonly fullName: string | undefined;
  readonly renovate: SourceFile | undefined;
  readonly partial: boolean;
  readonly platform: Platform;
  readonly files: readonly RepositoryFile[];
  workflowNamed(name: string): Workflow | undefined;
  workflowAt(path: string): Workflow | undefined;
  actionAt(folder: string): Action | undefined;
  callersOf(workflow: Workflow): readonly Job[];
}
