import { describe, expect, it } from 'vitest';
import type { Step, Workflow } from '../model/model.ts';
import { createRepository } from '../repository.ts';
import { parseYaml, type YamlSequence } from '../yaml/parse.ts';
import { applyEdits, type TextEdit } from './edit.ts';
import { insertFirstItem, insertStepBefore, setInput } from './steps.ts';

const HEAD = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n';

function edited(steps: string, edit: (step: Step) => TextEdit | undefined): string | undefined {
  const text = `${HEAD}${steps}`;
  const [workflow] = createRepository([{ path: '.github/workflows/a.yml', text }]).workflows as [Workflow];
  const made = edit(workflow.jobs[0]?.steps.at(-1) as Step);
  return made && applyEdits(text, [made]).slice(HEAD.length);
}

function before(step: Step): TextEdit | undefined {
  return step.parent.kind === 'job'
    ? insertStepBefore(step, step.parent, { name: 'New', lines: ['run: a', 'env: {}'] })
    : undefined;
}

describe('insertStepBefore', () => {
  it('inserts above the comments of the step, with a name and an empty line like its neighbours', () => {
    expect(edited('      - name: x\n        run: x\n\n      # why\n      - name: y\n        run: y\n', before)).toBe(
      '      - name: x\n        run: x\n\n      - name: New\n        run: a\n        env: {}\n\n      # why\n      - name: y\n        run: y\n',
    );
  });

  it('inserts above a first step', () => {
    expect(edited('    -   run: x\n', before)).toBe('    -   run: a\n        env: {}\n    -   run: x\n');
  });

  it('leaves steps in braces and files with aliases', () => {
    expect(edited('      - { run: x }\n', before)).toBeUndefined();
    expect(edited('      - &x\n        run: x\n      - *x\n', before)).toBeUndefined();
  });
});

describe('setInput', () => {
  const set = (step: Step): TextEdit | undefined => setInput(step, 'depth', '0', '    ');

  it('replaces an input that is there, whatever its case', () => {
    expect(edited('      - uses: a/b@v1\n        with: { Depth: 1 }\n', set)).toBe(
      '      - uses: a/b@v1\n        with: { Depth: 0 }\n',
    );
  });

  it('inserts it among others, and a block for it where there is none', () => {
    expect(edited('      - uses: a/b@v1\n        with:\n          x: 1\n', set)).toBe(
      '      - uses: a/b@v1\n        with:\n          depth: 0\n          x: 1\n',
    );
    expect(edited('      - uses: a/b@v1 # pinned\n', set)).toBe(
      '      - uses: a/b@v1 # pinned\n        with:\n            depth: 0\n',
    );
  });
});

it('inserts an item above the first of a list', () => {
  const text = '  - a: 1\r\n    b: 2\r\n';
  const edit = insertFirstItem(parseYaml(text).root as YamlSequence, ['c: 3', 'd: 4']);
  expect(edit && applyEdits(text, [edit])).toBe('  - c: 3\r\n    d: 4\r\n  - a: 1\r\n    b: 2\r\n');
  expect(insertFirstItem(parseYaml('[{ a: 1 }]').root as YamlSequence, ['c: 3'])).toBeUndefined();
});
