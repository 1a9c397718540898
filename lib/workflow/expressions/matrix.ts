import type { Job } from '../model/model.ts';
import { valueOf, type YamlNode } from '../yaml/parse.ts';

const MAX_TEXTS = 256;

const MAX_LENGTH = 1_000;

const REFERENCE = /\$\{\{\s*matrix\.([\w-]+(?:\.[\w-]+)*)\s*\}\}/;

/** Expands a text with the values of a literal matrix; other expressions stay. */
export function matrixTexts(text: string, job: Job | undefined): string[] {
  if (text.length > MAX_LENGTH || !text.includes('matrix.')) return [text];
  let texts = [text];
  for (let round = 0; round < 4; round += 1) {
    const key = REFERENCE.exec(texts[0] ?? '')?.[1];
    const values = key === undefined || job === undefined ? [] : [...new Set(matrixValues(job.matrix, key.split('.')))];
    if (values.length === 0 || values.some((value) => value.includes('${{'))) return texts;
    texts = texts
      .flatMap((current) => values.map((value) => current.replace(REFERENCE, () => value)))
      .slice(0, MAX_TEXTS);
  }
  return texts;
}

function* matrixValues(matrix: YamlNode | undefined, [key = '', ...path]: string[]): Generator<string> {
  const own = valueOf(matrix, key);
  if (own?.kind === 'sequence') for (const item of own.items) yield* scalarAt(item, path);
  const included = valueOf(matrix, 'include');
  if (included?.kind === 'sequence') for (const item of included.items) yield* scalarAt(valueOf(item, key), path);
}

function* scalarAt(node: YamlNode | undefined, path: readonly string[]): Generator<string> {
  let at = node;
  for (const key of path) at = valueOf(at, key);
  if (at?.kind === 'scalar' && at.text.length <= MAX_LENGTH) yield at.text;
}
