import { jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { YamlNode } from '#lib/workflow/yaml/parse.ts';

const MATRIX_VALUE = /^\$\{\{\s*matrix\.([\w.-]+)\s*\}\}$/;
const MAX_TEXTS = 100;

/** Returns the plain texts that a script can be which is nothing but one value of the matrix. */
export function matrixCommands(step: Step): readonly string[] {
  const [, keys] = MATRIX_VALUE.exec(step.run?.value.trim() ?? '') ?? [];
  const matrix = keys === undefined ? undefined : jobOf(step)?.matrix;
  return matrix === undefined ? [] : textsNamed(matrix, keys?.split('.').at(-1) ?? '');
}

function textsNamed(matrix: YamlNode, key: string): string[] {
  const found: string[] = [];
  const visit = (node: YamlNode, named: boolean): void => {
    if (found.length >= MAX_TEXTS) return;
    if (node.kind === 'scalar' && named && !node.text.includes('${{')) found.push(node.text);
    if (node.kind === 'sequence') for (const item of node.items) visit(item, named);
    if (node.kind === 'mapping') {
      for (const { key: name, value } of node.entries.values()) visit(value, name.text === key);
    }
  };
  visit(matrix, false);
  return found;
}
