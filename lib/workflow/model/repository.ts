import type { SourceFile } from '../text/source.ts';
import type { Action, Dependabot, Job, Lockfile, ParsedFile, Step, Workflow } from './model.ts';
import type { Platform } from './platform.ts';

export type RepositoryFile = ParsedFile<Workflow | Action | Dependabot | Lockfile>;

export interface Repository {
  readonly workflows: readonly Workflow[];
  readonly actions: readonly Action[];
  /** Composite actions of other repositories by the step that uses them, as far as they were looked up. */
  readonly usedActions: ReadonlyMap<Step, Action>;
  readonly dependabot: Dependabot | undefined;
  readonly lockfile: Lockfile | undefined;
  readonly config: SourceFile | undefined;
  /**
   * Lower-case owner as the caller knows it, else the accounts that conditions compare the running repository with.
   * Empty if unknown.
   */
  readonly owners: ReadonlySet<string>;
  readonly fullName: string | undefined;
  /** Renovate's configuration; empty text if only its name is known. */
  readonly renovate: SourceFile | undefined;
  readonly partial: boolean;
  readonly platform: Platform;
  readonly files: readonly RepositoryFile[];
  workflowNamed(name: string): Workflow | undefined;
  workflowAt(path: string): Workflow | undefined;
  actionAt(folder: string): Action | undefined;
  callersOf(workflow: Workflow): readonly Job[];
}
