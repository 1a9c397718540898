import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { taintsIn } from '../dataflow/taint.ts';
import type { Taint } from '../dataflow/taint-order.ts';

function outsiderTexts(files: Readonly<Record<string, string>>): string[] {
  const repository = createRepository(
    Object.entries(files).map(([name, text]) => ({
      path: name.includes('/') ? name : `.github/workflows/${name}`,
      text,
    })),
  );
  const step = repository.workflowAt('.github/workflows/a.yml')?.jobs.at(-1)?.steps.at(-1);
  if (step?.run === undefined) throw new Error('no script');
  const taints: readonly Taint[] = taintsIn(step.run, step, repository);
  return taints
    .filter(({ writer }) => writer === 'outsider')
    .map(({ via, source, reach }) => `${[...via, source].join(' ← ')} (${reach.replace('outsider-', '')})`);
}

const TITLE = '${{ github.event.issue.title }}';

function job(steps: string, more = ''): string {
  return `on: issues\njobs:\n  a:\n    runs-on: x\n${more}    steps:\n${steps}`;
}

describe('a matrix', () => {
  const at = (matrix: string): string[] =>
    outsiderTexts({ 'a.yml': job('      - run: echo ${{ matrix.x }}\n', `    strategy: { matrix: ${matrix} }\n`) });

  it('passes on the source of its key', () => {
    expect(at(`{ x: "\${{ fromJSON(github.event.issue.body) }}" }`)).toHaveLength(1);
    expect(at(`{ include: [{ x: "${TITLE}" }, { x: 1 }] }`)).toHaveLength(1);
    expect(at(`{ include: "\${{ fromJSON(github.event.issue.body) }}" }`)).toHaveLength(1);
    expect(at(`"\${{ fromJSON(github.event.issue.body) }}"`)).toHaveLength(1);
  });

  it('does not pass on its other keys', () => {
    expect(at(`{ x: [1, 2], y: ["${TITLE}"] }`)).toEqual([]);
    expect(at(`{ include: [{ x: 1, y: "${TITLE}" }] }`)).toEqual([]);
  });
});

describe('a composite action', () => {
  const action = (value: string, steps = ''): string =>
    `inputs:\n  text: { default: none }\n  title: { default: "${TITLE}" }\noutputs:\n  out: { value: "${value}" }\nruns:\n  using: composite\n  steps:\n${steps}    - { run: make, shell: bash }\n`;
  const caller = (inputs: string): string =>
    job(
      `      - { id: other, uses: ./act, with: { text: "${TITLE}" } }\n      - { id: used, uses: ./act, with: { ${inputs} } }\n      - run: echo \${{ steps.used.outputs.out }}\n`,
    );

  it('sees the events of the step that uses it', () => {
    expect(outsiderTexts({ 'act/action.yml': action(TITLE), 'a.yml': caller('text: fixed') })).toEqual([
      'steps.used.outputs.out ← github.event.issue.title (privileged)',
    ]);
  });

  it('takes its inputs from the step whose output is read, not from other steps that use it', () => {
    const files = { 'act/action.yml': action('${{ inputs.text }}') };
    expect(outsiderTexts({ ...files, 'a.yml': caller('text: fixed') })).toEqual([]);
    expect(outsiderTexts({ ...files, 'a.yml': caller(`text: "x ${TITLE}"`) })).toEqual([
      'steps.used.outputs.out ← inputs.text ← github.event.issue.title (privileged)',
    ]);
  });

  it('uses the default of an omitted input', () => {
    const files = { 'act/action.yml': action('${{ inputs.title }}') };
    expect(outsiderTexts({ ...files, 'a.yml': caller('text: fixed') })).toEqual([
      'steps.used.outputs.out ← the default of inputs.title ← github.event.issue.title (privileged)',
    ]);
    expect(outsiderTexts({ ...files, 'a.yml': caller('title: fixed') })).toEqual([]);
  });

  it('sees the environment of the job that uses it', () => {
    const text = caller('text: fixed').replace('    steps:', `    env: { TITLE: "${TITLE}" }\n    steps:`);
    expect(outsiderTexts({ 'act/action.yml': action('${{ env.TITLE }}'), 'a.yml': text })).toEqual([
      'steps.used.outputs.out ← env.title ← github.event.issue.title (privileged)',
    ]);
  });

  it('passes an input on to another action', () => {
    const inner =
      'inputs: { text: {} }\noutputs:\n  out: { value: "${{ inputs.text }}" }\nruns:\n  using: composite\n  steps: [{ run: make, shell: bash }]\n';
    const outer = action(
      '${{ steps.inner.outputs.out }}',
      '    - { id: inner, uses: ./inner, with: { text: "${{ inputs.text }}" } }\n',
    );
    const files = { 'inner/action.yml': inner, 'act/action.yml': outer };
    expect(outsiderTexts({ ...files, 'a.yml': caller(`text: "x ${TITLE}"`) }).join('\n')).toContain(
      'inputs.text ← inputs.text ← github.event.issue.title',
    );
  });
});

describe('a called workflow', () => {
  const called =
    'on:\n  workflow_call:\n    inputs: { text: { type: string } }\n    outputs: { out: { value: "${{ jobs.b.outputs.out }}" } }\njobs:\n  b:\n    runs-on: x\n    outputs: { out: "${{ inputs.text }}" }\n    steps: [run: make]\n';
  const calls = (text: string): string =>
    `on: issues\njobs:\n  other:\n    uses: ./.github/workflows/b.yml\n    with: { text: "${TITLE}" }\n  call:\n    uses: ./.github/workflows/b.yml\n    with: { text: "${text}" }\n  a:\n    needs: call\n    runs-on: x\n    steps:\n      - run: echo \${{ needs.call.outputs.out }}\n`;

  it('returns the inputs of the call whose output is read, not those of other calls', () => {
    expect(outsiderTexts({ 'b.yml': called, 'a.yml': calls('fixed') })).toEqual([]);
    expect(outsiderTexts({ 'b.yml': called, 'a.yml': calls(`x ${TITLE}`) })).toEqual([
      'needs.call.outputs.out ← jobs.b.outputs.out ← inputs.text ← github.event.issue.title (privileged)',
    ]);
  });
});

describe('a script', () => {
  const after = (variable: string, steps = ''): string[] =>
    outsiderTexts({
      'a.yml': job(
        `      - env: { TITLE: "${TITLE}" }\n        run: echo "SAVED=$TITLE" >> "$GITHUB_ENV"\n${steps}      - id: x\n        run: echo "out=$${variable}" >> "$GITHUB_OUTPUT"\n      - run: echo \${{ steps.x.outputs.out }}\n`,
      ),
    });

  it('reads variables that earlier steps set', () => {
    expect(after('SAVED')).toEqual(['steps.x.outputs.out ← $SAVED ← $TITLE ← github.event.issue.title (privileged)']);
    expect(after('OTHER')).toEqual([]);
  });

  it('reads variables that the runner sets', () => {
    const text = job(
      '      - { id: x, run: "echo \\"out=$GITHUB_HEAD_REF\\" >> $GITHUB_OUTPUT" }\n      - run: echo ${{ steps.x.outputs.out }}\n',
    ).replace('on: issues', 'on: pull_request_target');
    expect(outsiderTexts({ 'a.yml': text })).toEqual(['steps.x.outputs.out ← github.head_ref (privileged)']);
  });
});

describe('a value checked against a pattern by an earlier step', () => {
  it.each(['steps.x.outputs.out', 'github.event.issue.title'])('is not tainted: %s', (name) => {
    const steps = `      - { id: x, env: { T: "${TITLE}" }, run: 'echo "out=$T" >> $GITHUB_OUTPUT' }\n      - env: { V: "\${{ ${name} }}" }\n        run: '[[ "$V" =~ ^[a-z]+$ ]] || exit 1'\n      - run: echo \${{ ${name} }}\n`;
    expect(outsiderTexts({ 'a.yml': job(steps) })).toEqual([]);
    expect(outsiderTexts({ 'a.yml': job(steps.replace('exit 1', 'true')) })).not.toEqual([]);
  });
});

describe('the cost stays linear', () => {
  const LEVELS = 9;
  const WIDTH = 12;

  it('in calls that pass inputs along exponentially many paths', () => {
    const files = Array.from({ length: LEVELS * WIDTH }, (_, index) => {
      const level = Math.floor(index / WIDTH);
      const name = level + 1 === LEVELS && index % WIDTH === 0 ? 'a' : `${level}-${index % WIDTH}`;
      const value = level === 0 ? TITLE : '${{ inputs.text }}';
      const calls = Array.from({ length: level + 1 < LEVELS ? WIDTH : 0 }, (__, next) => {
        const target = level + 2 === LEVELS && next === 0 ? 'a' : `${level + 1}-${next}`;
        return `  c${next}:\n    uses: ./.github/workflows/${target}.yml\n    with: { text: "${value}" }\n`;
      });
      const on = level === 0 ? 'issues' : '{ workflow_call: { inputs: { text: { type: string } } } }';
      const leaf = '  leaf:\n    runs-on: x\n    steps:\n      - run: echo ${{ inputs.text }}\n';
      return [`${name}.yml`, `on: ${on}\njobs:\n${calls.join('')}${leaf}`] as const;
    });
    let found: string[] = [];
    const spent = leastCpuTimeOf(5_000, () => {
      found = outsiderTexts(Object.fromEntries(files));
    });
    expect(found).toHaveLength(1);
    expect(spent).toBeLessThan(5_000);
  });

  it('in variables that are set from each other in a cycle', () => {
    const names = Array.from({ length: 60 }, (_, index) => `V${index}`);
    const all = names.map((name) => `\${{ env.${name} }}`).join('');
    const env = names.map((name, index) => `  ${name}: "${index === 0 ? TITLE : ''}${all}"\n`).join('');
    let found: string[] = [];
    const spent = leastCpuTimeOf(5_000, () => {
      found = outsiderTexts({ 'a.yml': `env:\n${env}${job('      - run: echo ${{ env.V59 }}\n')}` });
    });
    expect(found.length).toBeGreaterThan(0);
    expect(spent).toBeLessThan(5_000);
  });

  it('in the callers of an action and the steps that set variables', () => {
    const action =
      'inputs: { text: {} }\noutputs:\n  out: { value: "${{ inputs.text }}${{ env.X }}" }\nruns:\n  using: composite\n  steps: [{ run: make, shell: bash }]\n';
    const step = (index: number): string =>
      `      - { id: s${index}, uses: ./act, with: { text: "\${{ steps.s${index - 1}.outputs.out }}" } }\n      - { run: 'echo "X=\${{ steps.s${index}.outputs.out }}" >> $GITHUB_ENV' }\n`;
    const steps = Array.from({ length: 200 }, (_, index) => step(index)).join('');
    const spent = leastCpuTimeOf(10_000, () => {
      outsiderTexts({ 'act/action.yml': action, 'a.yml': job(`${steps}      - run: echo \${{ env.X }}\n`) });
    });
    expect(spent).toBeLessThan(10_000);
  });
});
