import { matrixTexts } from '#lib/workflow/expressions/matrix.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';

const PRINTS = /^(?:#.*|(?:echo|write-host|write-output) (?:"[^"`$]*"|'[^']*'|[\w.,: !-]*))?$/i;

const NEVER_BUILT: ReadonlySet<string> = new Set([
  'actions',
  'javascript',
  'javascript-typescript',
  'python',
  'ruby',
  'typescript',
]);

export const isNoOp = memoByNode((step: Step): boolean =>
  step.run === undefined
    ? runsAction(step, 'github/codeql-action/autobuild') && analyzesSourcesAlone(step.parent)
    : step.run.value.split('\n').every((line) => PRINTS.test(line.trim())),
);

const analyzesSourcesAlone = memoByNode(({ steps }: Step['parent']): boolean => {
  const languages = steps
    .filter((step) => runsAction(step, 'github/codeql-action/init'))
    .flatMap((step) => matrixTexts(inputOf(step, 'languages')?.value ?? '', jobOf(step)))
    .flatMap((text) => text.split(','));
  return languages.length > 0 && languages.every((language) => NEVER_BUILT.has(language.trim().toLowerCase()));
});
