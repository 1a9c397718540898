import { expect, it } from 'vitest';
import { createRepository } from '../workflow/repository.ts';
import { findDamage, type ParsedFile } from './verify.ts';

const PATH = '.github/workflows/ci.yml';

function parsed(text: string): ParsedFile {
  const [file] = createRepository([{ path: PATH, text }]).files;
  if (file === undefined) throw new Error('no file');
  return file;
}

it('counts the places in which a text has a new problem, so that what fails everywhere is tried once', () => {
  const workflow = (text: string): string =>
    `on: push\njobs:\n${['a', 'b', 'c'].map((id) => `  ${id}:\n    runs-on: ubuntu-latest\n    steps:\n      - ${text}\n`).join('')}`;
  const [before, after] = [parsed(workflow('run: make')), parsed(workflow('run: make: all'))];
  expect(findDamage(before, after, [])).toMatchObject({ refusal: /an error after it/, places: 3 });
  expect(findDamage(before, before, [])).toBeUndefined();
});
