import { expect, test } from 'vitest';
import { stepsOf, type Workflow } from '../model/model.ts';
import { createRepository } from '../repository.ts';
import { commandFileWrites } from './command-files.ts';

function writesOf(script: string, shell = 'bash'): string[] {
  const lines = script.split('\n').map((line) => `          ${line}`);
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - shell: ${shell}\n        env: { FILE: '\${{ github.env }}' }\n        run: |\n${lines.join('\n')}\n`;
  const workflow = createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0] as Workflow;
  return [...stepsOf(workflow)].flatMap((step) =>
    commandFileWrites(step).map(
      ({ file, words, randomDelimiter }) =>
        `${file} ${words.map(({ value }) => value.trim()).join(' ')}${randomDelimiter ? ' (random)' : ''}`,
    ),
  );
}

test('counts redirects, tee, groups and indirect names as writes, but not other files', () => {
  expect(
    writesOf('echo A=1 >> $GITHUB_ENV\necho /bin | tee -a "${GITHUB_PATH}"\n{ echo "B=$(date)"; } >> "$GITHUB_OUTPUT"'),
  ).toEqual(['env A=1', 'path ', 'output B=$(date)']);
  expect(writesOf('f=$GITHUB_STATE\necho C=1 >> "$f"\necho D=1 >> "$FILE"\necho E=1 >> $GITHUB_ENV.bak')).toEqual([
    'state C=1',
    'env D=1',
  ]);
  expect(writesOf('echo $GITHUB_ENV > log; cat < $GITHUB_ENV')).toEqual([]);
});

test('trusts lines between computed delimiters, but not assignments beside them', () => {
  expect(writesOf('{ echo "B<<$M"; echo "$BODY"; echo "$M"; echo "C=$BODY"; } >> $GITHUB_ENV')).toEqual([
    'env B<<$M (random)',
    'env $BODY (random)',
    'env $M (random)',
    'env C=$BODY',
  ]);
  expect(writesOf('{ echo "B<<EOF"; echo "$BODY"; echo EOF; } >> $GITHUB_ENV')).toEqual([
    'env B<<EOF',
    'env $BODY',
    'env EOF',
  ]);
});

test('reads other shells line by line', () => {
  expect(writesOf('"A=$env:B" | Out-File $env:GITHUB_ENV -Append\n# $env:GITHUB_ENV', 'pwsh')).toEqual([
    'env "A=$env:B" | Out-File $env:GITHUB_ENV -Append',
  ]);
});
