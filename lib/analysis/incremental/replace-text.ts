import type { Repository } from '#lib/workflow/model/repository.ts';
import { parseFile, withFiles } from '#lib/workflow/repository.ts';
import { createSource } from '#lib/workflow/text/source.ts';

/** Replaces the text of one file. The other files keep their models; the repository's owners are not derived anew. */
export function replaceText(repository: Repository, path: string, text: string): Repository {
  const before = repository.files.find(({ source }) => source.path === path);
  const after = before === undefined ? undefined : parseFile(createSource(path, text));
  if (after === undefined) return repository;
  return withFiles(
    repository,
    repository.files.map((file) => (file === before ? after : file)),
  );
}
