import { matrixTexts } from '#lib/workflow/expressions/matrix.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';

/** A line that prints fixed words, in whatever shell, or a comment. */
const PRINTS = /^(?:#.*|(?:echo|write-host|write-output) (?:"[^"`$]*"|'[^']*'|[\w.,: !-]*))?$/i;

/** Languages that CodeQL reads as they are: its build step finds nothing to do for them. */
const NEVER_BUILT: ReadonlySet<string> = new Set([
  'actions',
  'javascript',
  'javascript-typescript',
  'python',
  'ruby',
  'typescript',
]);

const idleByStep = new WeakMap<Step, boolean>();

/** Whether a step that looks like any other runs nothing: a script that says something, a build of what needs none. */
export function isNoOp(step: Step): boolean {
  let idle = idleByStep.get(step);
  if (idle === undefined) {
    idle =
      step.run === undefined
        ? runsAction(step, 'github/codeql-action/autobuild') && analyzesSourcesAlone(step.parent)
        : step.run.value.split('\n').every((line) => PRINTS.test(line.trim()));
    idleByStep.set(step, idle);
  }
  return idle;
}

const sourcesAlone = new WeakMap<Step['parent'], boolean>();

function analyzesSourcesAlone(parent: Step['parent']): boolean {
  let alone = sourcesAlone.get(parent);
  if (alone === undefined) {
    const languages = parent.steps
      .filter((step) => runsAction(step, 'github/codeql-action/init'))
      .flatMap((step) => matrixTexts(inputOf(step, 'languages')?.value ?? '', jobOf(step)))
      .flatMap((text) => text.split(','));
    alone = languages.length > 0 && languages.every((language) => NEVER_BUILT.has(language.trim().toLowerCase()));
    sourcesAlone.set(parent, alone);
  }
  return alone;
}
