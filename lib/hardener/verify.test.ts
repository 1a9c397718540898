import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { findDamage, type ParsedFile } from './verify.ts';

const PATH = '.github/workflows/ci.yml';

function parsed(text: string): ParsedFile {
  const [file] = createRepository([{ path: PATH, text }]).files;
  if (file === undefined) throw new Error('no file');
  return file;
}

it('counts each place of a new problem, so that a fix failing everywhere is tried once', () => {
  const workflow = (text: string): string =>
    `on: push\njobs:\n${['a', 'b', 'c'].map((id) => `  ${id}:\n    runs-on: ubuntu-latest\n    steps:\n      - ${text}\n`).join('')}`;
  const [before, after] = [parsed(workflow('run: make')), parsed(workflow('run: make: all'))];
  expect(findDamage(before, after, [])).toMatchObject({ refusal: /an error after it/, places: 3 });
  expect(findDamage(before, before, [])).toBeUndefined();
});

it('compares files with multiplied aliases without expanding them', () => {
  const list = `[${Array.from({ length: 6_000 }, () => '*x').join()}]`;
  const workflow = (items: string): string =>
    `on: push\nenv: { X: &x "${'x'.repeat(100_000)}" }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy: { matrix: { v: [${items}] } }\n    steps: [{ run: make }]\n`;
  const [before, after] = [parsed(workflow(`${list}, last`)), parsed(workflow(list))];
  expect(findDamage(before, before, [])).toBeUndefined();
  expect(findDamage(before, after, [])).toMatchObject({ refusal: /more of the file/ });
});
