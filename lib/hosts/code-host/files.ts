import { fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { decodeFile } from '#lib/workflow/text/decode.ts';
import { MAX_REPOSITORY_BYTES } from '#lib/workflow/text/limits.ts';
import type { Content, FoundRepository } from './queries.ts';

const SYMBOLIC_LINK = 0o120000;

export interface FirstFiles {
  readonly files: readonly InputFile[];
  readonly missing: readonly string[];
  readonly folders: readonly string[];
  readonly failed: boolean;
}

export function readFirstAnswer(found: FoundRepository): FirstFiles {
  const files: InputFile[] = [];
  let failed = false;
  for (const { name, mode, type, object } of found.workflows?.entries ?? []) {
    const path = `.github/workflows/${name}`;
    if (type !== 'blob' || fileKind(path) === undefined) continue;
    files.push(toInput(path, mode, object));
    failed ||= mode !== SYMBOLIC_LINK && object?.byteSize === undefined;
  }
  const rootModes = modesOf(found.root);
  const githubModes = modesOf(found.github);
  const single = (path: string, mode: number | undefined, content: Content): void => {
    if (content?.byteSize !== undefined) files.push(toInput(path, mode ?? 0, content));
  };
  single('action.yml', rootModes.get('action.yml'), found.actionYml);
  single('action.yaml', rootModes.get('action.yaml'), found.actionYaml);
  single('.github/dependabot.yml', githubModes.get('dependabot.yml'), found.dependabotYml);
  single('.github/dependabot.yaml', githubModes.get('dependabot.yaml'), found.dependabotYaml);
  single('.github/chainbreak.yml', githubModes.get('chainbreak.yml'), found.configYml);
  single('.github/chainbreak.yaml', githubModes.get('chainbreak.yaml'), found.configYaml);
  const named = [...rootModes.keys(), ...[...githubModes.keys()].map((name) => `.github/${name}`)];
  for (const path of named) if (fileKind(path) === 'renovate') files.push({ path, text: '' });
  const missing: string[] = [];
  const visit = (folder: string, entries: Entries): void => {
    for (const { name, mode, type, object } of entries ?? []) {
      const path = `${folder}/${name}`;
      if (type === 'tree') visit(path, object?.entries);
      else if (type === 'blob' && fileKind(path) === 'action') {
        if (mode === SYMBOLIC_LINK) files.push(toInput(path, mode, null));
        else missing.push(path);
      }
    }
  };
  visit('.github/actions', found.actions?.entries);
  return { files, missing, folders: foldersNotAmong(files, missing), failed };
}

type Entries =
  | readonly {
      readonly name: string;
      readonly mode: number;
      readonly type: string;
      readonly object?: { readonly entries?: Entries } | null;
    }[]
  | null
  | undefined;

export function toInput(path: string, mode: number, content: Content): InputFile {
  const refuse = (message: string): InputFile => ({ path, text: undefined, problem: { severity: 'error', message } });
  if (mode === SYMBOLIC_LINK) return refuse('The file is a symbolic link, which is not followed.');
  if (content?.byteSize === undefined) return refuse('The code host did not return the content of this file.');
  const { text, byteSize, isBinary, isTruncated } = content;
  if (isTruncated === true) {
    return refuse(`The file has ${byteSize} bytes; the code host returns only the beginning, so it was not analysed.`);
  }
  if (isBinary === true || text === null || text === undefined) return refuse('The file is not text.');
  const bytes = Buffer.from(text);
  // GitHub replaces invalid UTF-8, which changes the length.
  if (text.includes('\uFFFD') && bytes.length !== byteSize) return refuse('The file is not valid UTF-8.');
  const decoded = decodeFile(bytes);
  return decoded.text === undefined ? { path, ...decoded } : { path, text: decoded.text };
}

export function withinLimit(files: readonly InputFile[]): InputFile[] {
  let bytes = 0;
  return files.map((file) => {
    const size = Buffer.byteLength(file.text ?? '');
    if (bytes + size <= MAX_REPOSITORY_BYTES) {
      bytes += size;
      return file;
    }
    const message = `The workflows and actions of the repository have more than ${MAX_REPOSITORY_BYTES} bytes, so this file was not read.`;
    return { path: file.path, text: undefined, problem: { severity: 'error', message } };
  });
}

export function foldersNotAmong(files: readonly InputFile[], alsoKnown: readonly string[] = []): string[] {
  const known = new Set([...files.map(({ path }) => path), ...alsoKnown].map(folderOf));
  const wanted = new Set<string>();
  for (const { text } of files) {
    for (const [, reference = ''] of (text ?? '').matchAll(/\buses['"]?\s*:\s*['"]?\.\/([^\s'"#,}]*)/g)) {
      const folder = reference.replace(/(?<!\/)\/+$/, '');
      if (/\.ya?ml$/.test(folder) || folder.split('/').some((segment) => segment === '..' || segment === '')) continue;
      if (folder.length <= 400 && !known.has(folder)) wanted.add(folder);
    }
  }
  return [...wanted].sort();
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function modesOf(
  folder: { readonly entries?: readonly { readonly name: string; readonly mode: number }[] | null | undefined } | null,
): Map<string, number> {
  return new Map((folder?.entries ?? []).map(({ name, mode }) => [name, mode]));
}
