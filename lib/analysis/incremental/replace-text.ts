import type { Repository, RepositoryFile } from '#lib/workflow/model/repository.ts';
import { parseFile, withFiles } from '#lib/workflow/repository.ts';
import { createSource } from '#lib/workflow/text/source.ts';
import { dependentFiles } from './dependents.ts';

/**
 * Replaces the text of one file. Unrelated files keep their model and what is memoized by node; dependents and
 * dependencies are parsed again. The repository's owners do not change.
 */
export function replaceText(repository: Repository, path: string, text: string): Repository {
  const before = repository.files.find(({ source }) => source.path === path);
  if (before === undefined) return repository;
  const after = parseAgain(before, text);
  const dependents = dependentFiles(repository.files, before, after);
  const files = repository.files.map((file) => {
    if (file === before) return after;
    return dependents.has(file) ? parseAgain(file, file.source.text) : file;
  });
  return withFiles(repository, files);
}

function parseAgain(file: RepositoryFile, text: string): RepositoryFile {
  if (file.definition === undefined && text === file.source.text) return file;
  return parseFile(createSource(file.source.path, text)) ?? file;
}
