import { expect, it } from 'vitest';
import { readExample } from './example.ts';

it('removes the markers and returns the lines they point at', () => {
  const source = 'on: push\njobs:\n  # expect: one\n  a:\n    # expect: two, three\n    b: 1\n  c: 2 # expected\n';
  expect(readExample(source)).toEqual({
    text: 'on: push\njobs:\n  a:\n    b: 1\n  c: 2 # expected\n',
    marked: [3, 4],
  });
});

it('keeps the dash of an item that starts with its marker', () => {
  const source = 'steps:\n  - # expect: one\n    uses: a/b@v1\n  - run: make\n';
  expect(readExample(source)).toEqual({ text: 'steps:\n  -\n    uses: a/b@v1\n  - run: make\n', marked: [3] });
});

it('counts two markers above one line once', () => {
  expect(readExample('# expect: one\n# expect: two\non: push\n')).toEqual({ text: 'on: push\n', marked: [1] });
});
