import type { Action, ParsedFile } from '../model/model.ts';
import { checkSchema } from '../schema/validate.ts';
import type { Diagnostic } from '../text/diagnostic.ts';
import { MAX_STEPS } from '../text/limits.ts';
import type { SourceFile } from '../text/source.ts';
import { parseYaml, valueOf } from '../yaml/parse.ts';
import { readInputs, readVariables, textOf } from './fields.ts';
import { overlongScripts, parseSteps } from './steps.ts';

export function parseAction(source: SourceFile): ParsedFile<Action> {
  const { root, diagnostics: yamlDiagnostics } = parseYaml(source.text);
  const diagnostics: Diagnostic[] = [...yamlDiagnostics];
  if (root?.kind !== 'mapping') {
    if (diagnostics.length === 0) diagnostics.push({ severity: 'error', message: 'An action must be a mapping.' });
    return { source, definition: undefined, diagnostics };
  }
  const runs = valueOf(root, 'runs');
  const stepsNode = valueOf(runs, 'steps');
  if (stepsNode?.kind === 'sequence' && stepsNode.items.length > MAX_STEPS) {
    diagnostics.push({ severity: 'error', message: `More than ${MAX_STEPS} steps; the file is not read.` });
    return { source, definition: undefined, diagnostics };
  }
  if (yamlDiagnostics.length === 0) diagnostics.push(...checkSchema(root, source, 'action'));
  const action: Action = {
    kind: 'action',
    source,
    root,
    name: textOf(root, 'name'),
    using: textOf(runs, 'using'),
    inputs: readInputs(valueOf(root, 'inputs')),
    outputs: readVariables(valueOf(root, 'outputs')),
    steps: [],
    image: textOf(runs, 'image'),
    main: textOf(runs, 'main'),
  };
  const steps = parseSteps(action, stepsNode);
  diagnostics.push(...overlongScripts(steps));
  return { source, definition: Object.assign(action, { steps }), diagnostics };
}
