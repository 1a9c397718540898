import type { SourceFile } from '../text/source.ts';
import type { Action, Dependabot, Job, Lockfile, ParsedFile, Workflow } from './model.ts';
import type { Platform } from './platform.ts';

export type RepositoryFile = ParsedFile<Workflow | Action | Dependabot | Lockfile>;

/** Everything of one repository that rules look at. */
export interface Repository {
  readonly workflows: readonly Workflow[];
  readonly actions: readonly Action[];
  readonly dependabot: Dependabot | undefined;
  readonly lockfile: Lockfile | undefined;
  /** `.github/chainbreak.yml`, when there is one. */
  readonly config: SourceFile | undefined;
  /**
   * The account the repository belongs to, in lower case: as the caller knows it, else those that conditions of its
   * workflows compare the running repository with. Empty when nothing tells.
   */
  readonly owners: ReadonlySet<string>;
  /** `owner/name` in lower case, when the caller knows it. */
  readonly fullName: string | undefined;
  /** Renovate's configuration; its text is empty when only its name is known. */
  readonly renovate: SourceFile | undefined;
  /** Only some files were given: what is missing here may exist all the same. */
  readonly partial: boolean;
  /** Where its workflows run. */
  readonly platform: Platform;
  readonly files: readonly RepositoryFile[];
  /** The workflow whose `name` (or path, when it has none) is given, as `workflow_run` names it. */
  workflowNamed(name: string): Workflow | undefined;
  workflowAt(path: string): Workflow | undefined;
  /** The action in a folder of the repository. */
  actionAt(folder: string): Action | undefined;
  /** The jobs that call a reusable workflow of this repository. */
  callersOf(workflow: Workflow): readonly Job[];
}
