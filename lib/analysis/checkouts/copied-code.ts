import type { Step } from '#lib/workflow/model/model.ts';
import { type Folder, folderAt, isWithin, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';

interface Placed {
  readonly step: Step;
  readonly span: Span;
  readonly folder: Folder;
  readonly foreign: object | undefined;
}

const CONFIGURES =
  /^(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|\.npmrc|\.yarnrc(?:\.yml)?|GNUmakefile|[Mm]akefile|\w+\.mk|CMakeLists\.txt|pom\.xml|[\w.]+\.gradle(?:\.kts)?|gradle\.properties|setup\.(?:py|cfg)|pyproject\.toml|requirements[\w-]*\.txt|conftest\.py|tox\.ini|noxfile\.py|Cargo\.toml|build\.rs|Gemfile(?:\.lock)?|Rakefile|composer\.json|go\.mod|[Jj]ustfile|Taskfile\.ya?ml|BUILD(?:\.bazel)?|WORKSPACE|\.pre-commit-config\.yaml|[\w.-]+\.config\.\w+)$/;

export function pathOrConfiguredFolder(path: string): string {
  const slash = path.lastIndexOf('/');
  return CONFIGURES.test(path.slice(slash + 1)) ? path.slice(0, Math.max(slash, 0)) || '.' : path;
}

const MAX_COPIES = 20;
const MAX_ORIGINS = 20;
const MAX_WORDS = 30;

export function copiesOf<Checkout extends Placed>(checkouts: readonly Checkout[]): Checkout[] {
  const foreign = checkouts.filter(({ foreign: code, folder }) => code !== undefined && folder !== undefined);
  const [first] = foreign;
  if (first === undefined) return [];
  const copies: Checkout[] = [];
  for (const step of first.step.parent.steps.slice(first.step.index)) {
    if (!/\b(?:cp|mv|rsync)\b/.test(step.run?.value ?? '')) continue;
    for (const { command, folder } of placedCommands(step)) {
      if (copies.length >= MAX_COPIES) return copies;
      if (!/^(?:cp|mv|rsync)$/.test(command.program)) continue;
      const words = command.args.slice(0, MAX_WORDS).map(({ value }) => value);
      const paths = words.filter((word) => !word.startsWith('-'));
      const target = paths.at(-1);
      if (target === undefined || paths.length < 2) continue;
      const whole = words.some((word) => /^-[a-zA-Z]*[aRr]|^--(?:recursive|archive)$/.test(word));
      for (const path of paths.slice(0, -1)) {
        const from = folderAt(folder, path.replace(/\/?\*{1,2}$/, '/.'));
        const origin = foreign
          .slice(0, MAX_ORIGINS)
          .find((each) => isWithin(from, each.folder as string) && isBefore(each, step.index, command.span.start));
        const moved = command.program === 'mv' && from === origin?.folder;
        const into = origin === undefined ? undefined : copiedTo(path, target, whole || moved, folder);
        if (origin === undefined || into === undefined || isWithin(into, origin.folder as string)) continue;
        copies.push({ ...origin, step, span: command.span, folder: into });
      }
    }
  }
  return copies;
}

function isBefore({ step, span }: Placed, index: number, start: number): boolean {
  return step.index < index || (step.index === index && span.start < start);
}

function copiedTo(path: string, target: string, whole: boolean, folder: Folder): Folder {
  const name = /(?:^|\/)(?:\.|\*{1,2})?$/.test(path) ? '' : (path.split('/').at(-1) ?? '');
  const isFolder = /(?:^|\/)\.{0,2}$/.test(target);
  if (whole) return folderAt(folder, isFolder ? `${target}/${name}` : target);
  const into = isFolder || !/\.\w+$/.test(target) ? `${target}/${name}` : target;
  return folderAt(folder, pathOrConfiguredFolder(into));
}
