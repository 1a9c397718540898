import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { RepositoryFile } from '#lib/workflow/model/repository.ts';
import { type Dispatch, dispatchesIn, MAX_DISPATCHES, startsWorkflow } from '../reachability/dispatches.ts';

export function dependentFiles(
  files: readonly RepositoryFile[],
  before: RepositoryFile,
  after: RepositoryFile,
): ReadonlySet<RepositoryFile> {
  return new Links(files, before, after).linked();
}

class Links {
  readonly #files: readonly RepositoryFile[];
  readonly #before: RepositoryFile;
  readonly #after: RepositoryFile;
  readonly #byPath: ReadonlyMap<string, RepositoryFile>;
  readonly #byName: ReadonlyMap<string, RepositoryFile>;
  readonly #names: ReadonlySet<string>;
  #dispatchesLeft = MAX_DISPATCHES;

  constructor(files: readonly RepositoryFile[], before: RepositoryFile, after: RepositoryFile) {
    this.#files = files;
    this.#before = before;
    this.#after = after;
    this.#byPath = new Map(files.map((file) => [file.source.path, file]));
    const workflows = files.filter(({ definition }) => definition?.kind === 'workflow');
    this.#byName = new Map(workflows.map((file) => [nameOf(file), file]));
    this.#names = new Set([nameOf(before), nameOf(after)]);
  }

  linked(): ReadonlySet<RepositoryFile> {
    const [before, after] = [this.#before, this.#after];
    if (followsAnything(before) || followsAnything(after)) return new Set(this.#files);
    const followers = new Map<RepositoryFile, RepositoryFile[]>();
    const sources = new Map<RepositoryFile, ReadonlySet<RepositoryFile>>();
    for (const file of this.#files) {
      const found = new Set([...this.#sourcesOf(file), ...(file === before ? this.#sourcesOf(after) : [])]);
      sources.set(file, found);
      for (const source of found) {
        const known = followers.get(source);
        if (known === undefined) followers.set(source, [file]);
        else known.push(file);
      }
    }
    return new Set([...reachable(before, followers), ...reachable(before, sources)]);
  }

  *#sourcesOf({ definition }: RepositoryFile): Generator<RepositoryFile> {
    if (definition?.kind !== 'workflow' && definition?.kind !== 'action') return;
    for (const name of definition.kind === 'workflow'
      ? definition.triggers.flatMap((each) => each.workflows ?? [])
      : []) {
      const file = this.#byName.get(name);
      if (file !== undefined) yield file;
      if (this.#names.has(name)) yield this.#before;
    }
    for (const { uses } of usesOf(definition)) {
      if (uses.reference?.kind !== 'local') continue;
      const { path } = uses.reference;
      const folder = path === '' ? '' : `${path}/`;
      for (const name of [path, `${folder}action.yml`, `${folder}action.yaml`]) {
        const file = this.#byPath.get(name);
        if (file !== undefined) yield file;
      }
    }
    if (definition.kind !== 'workflow') return;
    const dispatches = dispatchesIn(definition).slice(0, this.#dispatchesLeft);
    this.#dispatchesLeft -= dispatches.length;
    for (const dispatch of dispatches) {
      for (const file of this.#files) if (starts(dispatch, file)) yield file;
      if (starts(dispatch, this.#after)) yield this.#before;
    }
  }
}

function starts(dispatch: Dispatch, { definition }: RepositoryFile): boolean {
  return definition?.kind === 'workflow' && startsWorkflow(dispatch, definition);
}

function reachable(
  from: RepositoryFile,
  next: ReadonlyMap<RepositoryFile, Iterable<RepositoryFile>>,
): ReadonlySet<RepositoryFile> {
  const found = new Set([from]);
  for (const file of found) for (const other of next.get(file) ?? []) found.add(other);
  return found;
}

function nameOf({ definition, source }: RepositoryFile): string {
  return (definition?.kind === 'workflow' ? definition.name?.value : undefined) ?? source.path;
}

function followsAnything({ definition }: RepositoryFile): boolean {
  if (definition?.kind !== 'workflow') return definition !== undefined && definition.kind !== 'action';
  return definition.triggers.some(({ event }) => event === 'release' || event === 'workflow_run');
}
