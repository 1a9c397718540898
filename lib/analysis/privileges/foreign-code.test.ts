import { describe, expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { runsForeignCode, runsWorkspaceCode } from './foreign-code.ts';

function stepsOf(steps: string): readonly Step[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  return createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0]?.jobs[0]?.steps ?? [];
}

describe('untrusted code', () => {
  it.each([
    ['jq -r .version package.json | xargs', false],
    ['cat names | xargs -I {} echo {}', false],
    ['cat names | xargs -n 1 npm install', true],
    ['cat names | xargs -0 sh -c "$0"', true],
    ['echo "$TYPES" | paste -sd "|"', false],
  ])('includes the command that xargs runs: "%s"', (run, expected) => {
    expect(runsForeignCode(stepsOf(`      - run: '${run}'\n`)[0] as Step)).toBe(expected);
  });

  it.each([
    ['find dist -type f -print', false],
    ['7z x tool.zip -otool', false],
    ['bsdtar -xf tool.zip && unxz tool.xz', false],
    ['7z x tool.zip -otool && tool/run', true],
    ['find dist -name x -exec sh {} +', true],
    ['find . -name x -execdir make {} +', true],
    ['sudo apt-get clean', false],
    ['sudo apt-get update && sudo apt-get install -y jq', true],
    ['kubectl apply -f app.yaml', false],
    ['helm upgrade --install app chart', false],
    ['helm plugin install acme/diff', true],
    ['helm template app chart --post-renderer ./render.sh', true],
  ])('distinguishes a program from what it starts: %s', (run, expected) => {
    expect(runsForeignCode(stepsOf(`      - run: ${run}\n`)[0] as Step)).toBe(expected);
  });

  it.each([
    ["if ${{ startsWith(github.ref, 'refs/tags/') }}; then echo a; fi", false],
    ["${{ github.event_name == 'push' && !github.event.forced }} && echo a", false],
    ["if ${{ startsWith(github.ref, 'refs/tags/') }}; then npm test; fi", true],
    ['if ${{ inputs.check }}; then echo a; fi', true],
    ["${{ startsWith(github.ref, 'refs/tags/') && inputs.check }}", true],
    ["${{ github.event_name == 'push' }}-tool run", true],
  ])('knows that an expression that is true or false runs nothing: %s', (run, expected) => {
    expect(runsForeignCode(stepsOf(`      - run: |\n          ${run}\n`)[0] as Step)).toBe(expected);
  });

  it.each([
    ['echo "No test required"', false],
    ["Write-Host 'done'", false],
    ['echo "$(npm test)"', true],
    ['echo $env:NAME; npm test', true],
    ['npm test', true],
  ])('recognizes a script that only prints, even in a shell that is not parsed: %s', (run, expected) => {
    expect(runsForeignCode(stepsOf(`      - shell: pwsh\n        run: |\n          ${run}\n`)[0] as Step)).toBe(
      expected,
    );
  });

  it.each([
    ['languages: javascript', false],
    ['languages: javascript, python', false],
    ['languages: javascript, java', true],
    ['languages: ${{ matrix.language }}', true],
    ['queries: security-extended', true],
  ])('recognizes that CodeQL builds nothing for interpreted languages: %s', (given, expected) => {
    const init = `      - uses: github/codeql-action/init@v4\n        with: { ${given.replace(': ', ': "')}" }\n`;
    const build = stepsOf(`${init}      - uses: github/codeql-action/autobuild@v4\n`)[1] as Step;
    expect(runsForeignCode(build)).toBe(expected);
  });

  it('distinguishes untrusted code from mere preparation', () => {
    expect(runsForeignCode(stepsOf('      - uses: actions/cache@v4\n')[0] as Step)).toBe(false);
    expect(runsForeignCode(stepsOf('      - run: mkdir dist\n')[0] as Step)).toBe(false);
    expect(runsForeignCode(stepsOf('      - run: npm ci\n')[0] as Step)).toBe(true);
    expect(runsForeignCode(stepsOf('      - uses: acme/lint@v1\n')[0] as Step)).toBe(true);
    expect(runsWorkspaceCode(stepsOf('      - uses: acme/lint@v1\n')[0] as Step)).toBe(false);
  });
});
