import type { Action, Job, Step } from '../model/model.ts';
import { sourceOf } from '../model/model.ts';
import type { Diagnostic } from '../text/diagnostic.ts';
import { MAX_SCRIPT_LENGTH } from '../text/limits.ts';
import { entryOf, valueOf, type YamlMapping, type YamlNode } from '../yaml/parse.ts';
import { readUses, readVariables, textOf } from './fields.ts';

export function parseSteps(parent: Job | Action, node: YamlNode | undefined): Step[] {
  const { text } = sourceOf(parent);
  return [...stepMappings(node)].map((mapping, index): Step => {
    const run = entryOf(mapping, 'run');
    return {
      kind: 'step',
      parent,
      index,
      mapping,
      span: mapping.span,
      id: textOf(mapping, 'id'),
      name: textOf(mapping, 'name'),
      condition: textOf(mapping, 'if'),
      uses: readUses(mapping, text),
      run: textOf(mapping, 'run'),
      runSpan: run?.span,
      with: readVariables(valueOf(mapping, 'with')),
      env: readVariables(valueOf(mapping, 'env')),
      shell: textOf(mapping, 'shell'),
      workingDirectory: textOf(mapping, 'working-directory'),
    };
  });
}

export function overlongScripts(steps: Iterable<Step>): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const { run } of steps) {
    if (run === undefined || run.value.length <= MAX_SCRIPT_LENGTH) continue;
    const message = `The script has ${run.value.length} characters; at most ${MAX_SCRIPT_LENGTH} are read as shell commands.`;
    diagnostics.push({ severity: 'error', message, span: run.span });
  }
  return diagnostics;
}

function* stepMappings(node: YamlNode | undefined): Generator<YamlMapping> {
  if (node?.kind !== 'sequence') return;
  for (const item of node.items) {
    if (item.kind !== 'mapping') continue;
    const group = valueOf(item, 'parallel');
    if (group === undefined) yield item;
    else yield* stepMappings(group);
  }
}
