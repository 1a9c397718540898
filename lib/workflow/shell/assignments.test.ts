import { describe, expect, it } from 'vitest';
import { evalSinksOf } from '#lib/analysis/dataflow/eval-sinks.ts';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { type Step, stepsOf, type Workflow } from '../model/model.ts';
import type { Repository } from '../model/repository.ts';
import { createRepository } from '../repository.ts';
import { ScriptIndex } from './assignments.ts';
import { commandsOf } from './shell.ts';

function repositoryOf(...lines: readonly string[]): Repository {
  const script = lines.map((line) => `          ${line}\n`).join('');
  const head = 'on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n';
  const env = '        env:\n          TITLE: ${{ github.event.pull_request.title }}\n';
  return createRepository([{ path: '.github/workflows/a.yml', text: `${head}      - run: |\n${script}${env}` }]);
}

function stepOf({ workflows }: Repository): Step {
  return stepsOf(workflows[0] as Workflow)[0] as Step;
}

describe('the index of a script', () => {
  it('knows each value that a variable is set to, in order', () => {
    const index = ScriptIndex.of(stepOf(repositoryOf('A=1', 'B=2', 'if x; then A=3; fi')));
    expect(index.assignmentsOf('A').map(({ value }) => value)).toEqual(['1', '3']);
    expect(index.assignmentsOf('constructor')).toEqual([]);
  });

  it('finds the commands of substitutions within a word, nested ones too, and no others', () => {
    const step = stepOf(repositoryOf('A=$(one $(two | three))', 'echo "$(four)" "$(five)"', 'six'));
    const words = commandsOf(step).flatMap(({ args, assignments }) => [
      ...assignments.map(({ value }) => value),
      ...args,
    ]);
    const found = words.map((word) => [
      word.text,
      ScriptIndex.of(step)
        .substitutionsIn(word.span)
        .map(({ program }) => program)
        .sort(),
    ]);
    expect(Object.fromEntries(found)).toMatchObject({
      '$(one $(two | three))': ['one', 'three', 'two'],
      '"$(four)"': ['four'],
      '"$(five)"': ['five'],
    });
  });

  it('detects a value that is compared with a pattern as a whole', () => {
    const index = ScriptIndex.of(stepOf(repositoryOf('[[ "$A" =~ ^[0-9]+$ ]] || exit 1', '[[ $B =~ x ]]')));
    expect(['A', 'B', 'C', 'A|B'].map((name) => index.isChecked(name))).toEqual([true, false, false, false]);
  });

  it('detects a value of which only plain words go on', () => {
    const chosen = (...lines: readonly string[]): boolean =>
      ScriptIndex.of(stepOf(repositoryOf(...lines))).isChecked('A');
    expect(chosen('case "$A" in one|two) use "$A" ;; esac')).toBe(true);
    expect(chosen('case "$A" in one) ;; *) exit 1 ;; esac', 'use "$A"')).toBe(true);
    expect(chosen('case "$A" in one) ;; *) ;; esac', 'use "$A"')).toBe(false);
    expect(chosen('case "$A" in one) ;; esac', 'use "$A"')).toBe(false);
    expect(chosen('case "$A" in one*) use "$A" ;; esac')).toBe(false);
    expect(chosen('case "$A" in [0-9]|v[0-9].[0-9]) ;; *) exit 1 ;; esac', 'use "$A"')).toBe(true);
    for (const pattern of ['[0-9]*', '*[0-9]', 'v[0-9]*.[0-9]*', '[0-9]?', '[!a-z]', '[A-z]', '[$]', 'a|[0-9]*']) {
      expect(chosen(`case "$A" in ${pattern}) ;; *) exit 1 ;; esac`, 'use "$A"')).toBe(false);
    }
    expect(chosen('case "$A" in one) ;; *) use "$A" ;; esac')).toBe(false);
  });

  it.each([
    [`case "$A" in ''|*[!0-9]*) echo bad; exit 1 ;; esac`, true],
    ['case $A in (*[^a-z0-9_-]*) exit 2;; esac', true],
    ['case "${A}" in "" | *[![:alnum:].]* ) return 1 ;; *) use ;; esac', true],
    [`case "$A" in ''|*[!0-9]*) echo bad ;; esac`, false],
    [`case "$A" in '') exit 1 ;; esac`, false],
    ['case "$A" in *[!0-9]) exit 1 ;; esac', false],
    ['case "$A" in *[!0-9$]*) exit 1 ;; esac', false],
    ['case "$A" in *[!A-z]*) exit 1 ;; esac', false],
    ['case "$A" in *[!.-z]*) exit 1 ;; esac', false],
    ['case "$A" in x*|*[!0-9]*) exit 1 ;; esac', false],
    ['case "$A" in ok) ;; *[!0-9]*) exit 1 ;; esac', false],
  ])('knows whether %s refuses other characters: %s', (line, expected) => {
    expect(ScriptIndex.of(stepOf(repositoryOf(line, 'use "$A"'))).isChecked('A')).toBe(expected);
  });

  it('knows what loops, read and calls of functions set', () => {
    const index = ScriptIndex.of(
      stepOf(
        repositoryOf(
          'for f in "$A" b; do echo "$f"; done',
          'read -r first rest <<< "$B"',
          'mapfile -t lines < list.txt',
          'show() { local text="$2"; echo "$1" "$@"; }',
          'show "$C" d',
          'other() { echo "$1"; }',
        ),
      ),
    );
    const texts = (name: string): string[] => index.assignmentsOf(name).map(({ text }) => text);
    expect(texts('f')).toEqual(['"$A"', 'b']);
    expect([texts('first'), texts('rest')]).toEqual([['"$B"'], ['"$B"']]);
    expect(texts('lines')).toEqual(['$(<list.txt)']);
    expect([texts('show:1'), texts('show:2'), texts('show:@')]).toEqual([['"$C"'], ['d'], ['"$C"', 'd']]);
    expect(index.assignmentsOf('text')[0]?.variables).toEqual(['show:2']);
    expect(texts('other:1')).toEqual([]);
  });

  it('traces a thousand variables that are set from each other in seconds', () => {
    const set = Array.from(
      { length: 1_199 },
      (_, n) => `X${n + 1}=$(echo "$X${n}$X${Math.max(0, n - 1)}" | sed s/a/b/)`,
    );
    const run = Array.from({ length: 600 }, (_, n) => `eval "$X${n + 600}"`);
    const spent = leastCpuTimeOf(6_000, () => {
      const repository = repositoryOf('X0=$(echo "$TITLE" | cut -d: -f1)', ...set, ...run);
      expect(evalSinksOf(stepOf(repository), repository)).toHaveLength(0);
    });
    expect(spent).toBeLessThan(6_000);
  });
});
