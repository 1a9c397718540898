import { describe, expect, it } from 'vitest';
import { enterpriseServer } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { refusedRelease, startBarrier } from './start-barriers.ts';

function barredJobs(repository: Repository): string[] {
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs);
  return jobs.flatMap((job) => (startBarrier(job, repository) === undefined ? [] : [job.id]));
}

function repositoryOf(...texts: readonly string[]): Repository {
  return createRepository(texts.map((text, index) => ({ path: `.github/workflows/${index}.yml`, text })));
}

function reasonFor(job: string, ...others: readonly string[]): string | undefined {
  const repository = repositoryOf(`on: push\njobs:\n  a:\n${job.replace(/^/gm, '    ')}\n`, ...others);
  const [first] = repository.workflows[0]?.jobs ?? [];
  return first && startBarrier(first, repository)?.because;
}

const STEPS = 'steps: [{ run: make }]';
const using = (uses: string, rest = ''): string =>
  `runs-on: ubuntu-latest\nsteps:\n  - run: make\n  - uses: ${uses}\n${rest.replace(/^(?=.)/gm, '    ')}`;

describe('a retired label', () => {
  it.each([
    ['alone', 'runs-on: ubuntu-20.04', 'ubuntu-20.04 on 2025-04-15'],
    ['quoted, in capitals', 'runs-on: "Ubuntu-18.04"', 'ubuntu-18.04 on 2023-04-03'],
    ['alone in a list', 'runs-on: [windows-2019]', 'windows-2019 on 2025-06-30'],
    ['under labels', 'runs-on: { labels: macos-13 }', 'macos-13 on 2025-12-04'],
    [
      'of every leg',
      'strategy: { matrix: { os: [macos-12, macos-11] } }\nruns-on: ${{ matrix.os }}',
      'macos-12 on 2024-12-03',
    ],
    ['by index', 'strategy: { matrix: { os: [macos-12] } }\nruns-on: ${{ matrix["os"] }}', undefined],
    [
      'by quoted index',
      "strategy: { matrix: { os: [macos-12] } }\nruns-on: ${{ matrix['os'] }}",
      'macos-12 on 2024-12-03',
    ],
    [
      'nested',
      'strategy: { matrix: { on: [{ os: macos-12, x: 1 }] } }\nruns-on: ${{ matrix.on.os }}',
      'macos-12 on 2024-12-03',
    ],
    [
      'included',
      'strategy: { matrix: { include: [{ os: macos-12 }, { os: macos-11 }] } }\nruns-on: ${{ matrix.os }}',
      'macos-12 on 2024-12-03',
    ],
    [
      'with another key included',
      'strategy: { matrix: { os: [macos-12], include: [{ x: 1 }] } }\nruns-on: ${{ matrix.os }}',
      'macos-12 on 2024-12-03',
    ],
  ])('%s stops the job', (_, runsOn, removed) => {
    expect(reasonFor(`${runsOn}\n${STEPS}`)).toBe(removed && `GitHub removed ${removed}`);
  });

  it.each([
    ['a current label', 'runs-on: ubuntu-22.04'],
    ['a removal that was only announced', 'runs-on: macos-14'],
    ['self-hosted too', 'runs-on: [self-hosted, ubuntu-20.04]'],
    ['two labels', 'runs-on: [ubuntu-20.04, big]'],
    ['two labels named like images', 'runs-on: [ubuntu-20.04, ubuntu-22.04-gpu]'],
    ['a larger runner', 'runs-on: ubuntu-20.04-16core'],
    ['a group', 'runs-on: { group: ours, labels: ubuntu-20.04 }'],
    ['one leg runs', 'strategy: { matrix: { os: [macos-12, ubuntu-latest] } }\nruns-on: ${{ matrix.os }}'],
    [
      'an included leg runs',
      'strategy: { matrix: { os: [macos-12], include: [{ os: ubuntu-latest }] } }\nruns-on: ${{ matrix.os }}',
    ],
    [
      'another spelling of the key',
      'strategy: { matrix: { os: [macos-12], OS: [ubuntu-latest] } }\nruns-on: ${{ matrix.os }}',
    ],
    [
      'another spelling in an included leg',
      'strategy: { matrix: { include: [{ os: macos-12, OS: ubuntu-latest }] } }\nruns-on: ${{ matrix.os }}',
    ],
    [
      'another spelling of include',
      'strategy: { matrix: { os: [macos-12], Include: [{ os: ubuntu-latest }] } }\nruns-on: ${{ matrix.os }}',
    ],
    ['a leg of two labels', 'strategy: { matrix: { os: [macos-12, [macos-12, own]] } }\nruns-on: ${{ matrix.os }}'],
    ['a leg with a group', 'strategy: { matrix: { os: [macos-12, { group: ours }] } }\nruns-on: ${{ matrix.os }}'],
    [
      'a leg without the nested key',
      'strategy: { matrix: { on: [{ os: macos-12 }, { at: x }] } }\nruns-on: ${{ matrix.on.os }}',
    ],
    ['a computed leg', 'strategy: { matrix: { os: [macos-12, "${{ vars.OS }}"] } }\nruns-on: ${{ matrix.os }}'],
    ['computed legs', 'strategy: { matrix: { os: "${{ fromJSON(vars.OS) }}" } }\nruns-on: ${{ matrix.os }}'],
    [
      'computed inclusions',
      'strategy: { matrix: { os: [macos-12], include: "${{ fromJSON(vars.X) }}" } }\nruns-on: ${{ matrix.os }}',
    ],
    ['a computed matrix', 'strategy: { matrix: "${{ fromJSON(vars.X) }}" }\nruns-on: ${{ matrix.os }}'],
    [
      'computed legs and an included one',
      'strategy: { matrix: { os: "${{ fromJSON(vars.OS) }}", include: [{ os: macos-12 }] } }\nruns-on: ${{ matrix.os }}',
    ],
    ['a label that begins like it', 'strategy: { matrix: { os: [macos-12] } }\nruns-on: ${{ matrix.os }}-own'],
    ['a default', "runs-on: ${{ vars.RUNNER || 'ubuntu-20.04' }}"],
    ['a part of the label', 'strategy: { matrix: { os: [20] } }\nruns-on: ubuntu-${{ matrix.os }}.04'],
  ])('%s does not stop the job', (_, runsOn) => {
    expect(reasonFor(`${runsOn}\n${STEPS}`)).toBeUndefined();
  });

  it.each([
    ['self-hosted', 'runs-on: self-hosted'],
    ['an own label', 'runs-on: build-machine'],
    ['a group', 'runs-on: { group: ours }'],
  ])('is that of an own machine where another workflow has %s', (_, other) => {
    const workflow = `on: push\njobs:\n  b:\n    ${other}\n    ${STEPS}\n`;
    expect(reasonFor(`runs-on: ubuntu-20.04\n${STEPS}`, workflow)).toBeUndefined();
  });
});

describe('a branch that its publisher renamed', () => {
  it.each([
    ['google-github-actions/setup-gcloud@master', 'google-github-actions/setup-gcloud', '2022-04-05'],
    ['Google-GitHub-Actions/setup-gcloud@master', 'google-github-actions/setup-gcloud', '2022-04-05'],
    ['r-lib/actions/setup-r@master', 'r-lib/actions', '2022-10-19'],
  ])('stops a job that uses %s', (uses, action, since) => {
    expect(reasonFor(using(uses))).toBe(`${action} has had no branch master since ${since}`);
  });

  it.each([
    'google-github-actions/setup-gcloud@main',
    'google-github-actions/setup-gcloud@v0',
    'google-github-actions/auth@master',
    'acme/setup-gcloud@master',
    'r-lib/actions/setup-r@old',
    'r-lib/actions/setup-r@v2',
    'r-lib/setup@master',
  ])('is not %s', (uses) => {
    expect(reasonFor(using(uses))).toBeUndefined();
  });
});

describe('a refused release', () => {
  it.each([
    ['actions/cache@v1', 'actions/cache v1 since 2025-04-15'],
    ['actions/cache@v3.2.6', 'actions/cache v3.2.6 since 2025-04-15'],
    ['actions/cache/restore@v4.1.0', 'actions/cache v4.1.0 since 2025-04-15'],
    ['Actions/Upload-Artifact@v3', 'actions/upload-artifact v3 since 2025-01-30'],
    ['actions/download-artifact@v2.1.1', 'actions/download-artifact v2.1.1 since 2025-01-30'],
    ['actions/upload-pages-artifact@v2', 'actions/upload-pages-artifact v2 since 2025-01-30'],
  ])('%s stops the job', (uses, refused) => {
    const expected = `GitHub has refused ${refused}`;
    expect(reasonFor(using(uses))).toBe(expected);
    expect(reasonFor(using(uses, 'if: false\ncontinue-on-error: true\n'))).toBe(expected);
  });

  it.each([
    'actions/cache@v3',
    'actions/cache@v3.4.0',
    'actions/cache@v4.2.0',
    'actions/cache@main',
    'actions/upload-artifact@v4',
    'actions/upload-artifact@v3-node20',
    'actions/upload-artifact@v4.0.0-beta',
    'actions/upload-artifact@0123456789012345678901234567890123456789',
    'actions/upload-artifact@0123456789012345678901234567890123456789 # v3',
    'actions/deploy-pages@v3',
    'acme/upload-artifact@v3',
    './.github/actions/upload-artifact',
  ])('%s does not stop the job', (uses) => {
    expect(reasonFor(using(uses))).toBeUndefined();
  });

  it('in an action of the repository fails only when its step runs', () => {
    const repository = createRepository([
      {
        path: '.github/workflows/a.yml',
        text: `on: push\njobs:\n  a:\n    ${using('./pack').replaceAll('\n', '\n    ')}\n`,
      },
      {
        path: 'pack/action.yml',
        text: 'name: Pack\ndescription: Packs\nruns: { using: composite, steps: [{ uses: actions/upload-artifact@v3 }] }\n',
      },
    ]);
    expect(barredJobs(repository)).toEqual([]);
    const step = repository.actions[0]?.steps[0];
    expect(step && refusedRelease(step, repository)).toMatchObject({ tag: 'v3', endsJob: false });
  });
});

describe('a rejected file', () => {
  it.each([
    ['a quote', "if: github.actor == 'alice || github.actor == 'bob'"],
    ['a quote within braces', "if: ${{ github.actor == 'alice }}"],
    ['secrets in a job’s condition', "if: secrets.TOKEN != ''"],
    ['secrets by index, within braces', "if: ${{ contains(toJSON(secrets['TOKEN']), 'x') }}"],
    ['env in a job’s condition', "if: env.CI == 'true'"],
    ['secrets in the matrix', 'strategy: { matrix: { include: [{ token: "x ${{ SECRETS.TOKEN }}" }] } }'],
    ['secrets in a step’s condition', "env: {}\nsteps: [{ run: make, if: secrets.TOKEN != '' }]"],
    ['env in the env of a job', 'env: { A: "${{ env.B }}" }'],
    ['env in the name of a job', 'name: Test ${{ ENV.B }}'],
    ['steps in the timeout of a job', 'timeout-minutes: ${{ fromJSON(steps.a.outputs.b) }}'],
    ['secrets in a concurrency group', 'concurrency: { group: "${{ format(\'{0}\', secrets.A) }}" }'],
    ['runner where a job may fail', "continue-on-error: ${{ runner.os == 'Windows' }}"],
  ])('%s stops all its jobs', (_, text) => {
    const job = text.includes('steps:') ? text : `${text}\n${STEPS}`;
    const workflow = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    ${job.replaceAll('\n', '\n    ')}\n`;
    expect(
      barredJobs(
        repositoryOf(`${workflow}  b: { runs-on: self-hosted, ${STEPS} }\n`, workflow.replace('a:', 'other:')),
      ),
    ).toEqual(['a', 'b', 'other']);
  });

  it.each([
    ['doubled quotes', "if: github.event.comment.body == 'it''s' && github.actor == 'alice'"],
    ['text around braces', "if: ${{ github.actor == 'alice' }} it's me"],
    ['more expressions than are read', `if: ${'${{ github.actor }} '.repeat(1_001)}`],
    ['double quotes', 'if: contains("secrets", github.actor)'],
    ['an unknown context', "if: machine.name == 'x'"],
    ['an unknown function', 'if: newest(secrets.TOKEN)'],
    ['a name in a string', "if: contains('secrets.TOKEN', github.actor)"],
    ['a field of that name', "if: github.event.inputs.secrets == 'x' && inputs.env == 'prod'"],
    ['a matrix named secrets', 'strategy: { matrix: { secrets: [TOKEN], fail: ["${{ vars.X }}"] } }'],
    ['secrets and a matrix in the env of a job', 'env: { A: "${{ secrets.A }} ${{ matrix.a || needs.b.result }}" }'],
    ['needs in the name of a job', 'name: ${{ needs.a.outputs.b }} ${{ strategy.job-index }}'],
    ['secrets for a container', 'container: { image: a, credentials: { username: a, password: "${{ secrets.A }}" } }'],
    ['steps in the address of an environment', 'environment: { name: a, url: "${{ steps.a.outputs.url }}" }'],
    ['steps in outputs', 'outputs: { a: "${{ steps.a.outputs.b }}" }'],
    ['env in defaults', 'defaults: { run: { working-directory: "${{ env.A }}" } }'],
    ['env in a step’s condition', "env: {}\nsteps: [{ run: make, if: env.CI == 'true' && matrix.a }]"],
  ])('%s does not stop the job', (_, text) => {
    expect(
      reasonFor(`runs-on: ubuntu-latest\n${text.includes('steps:') ? text : `${text}\n${STEPS}`}`),
    ).toBeUndefined();
  });
});

describe('a context that a key of the file cannot read', () => {
  const workflow = (top: string, job: string): string => `on: workflow_call\n${top}\njobs:\n  a: ${job}\n`;
  const JOB = `{ runs-on: ubuntu-latest, ${STEPS} }`;
  const CALLED = 'uses: ./.github/workflows/b.yml';

  it.each([
    ['matrix for the workflow', workflow('env: { A: "${{ matrix.a }}" }', JOB)],
    ['secrets in the name of a run', workflow('run-name: ${{ secrets.A }}', JOB)],
    ['env in the workflow’s concurrency', workflow('concurrency: ${{ env.A }}', JOB)],
    ['env for the machine', workflow('', `{ runs-on: "\${{ env.OS }}", ${STEPS} }`)],
    ['secrets for the machine', workflow('', `{ runs-on: [self-hosted, "\${{ secrets.OS }}"], ${STEPS} }`)],
    ['env for a called workflow', workflow('', `{ ${CALLED}, with: { a: "\${{ env.A }}" } }`)],
    ['secrets as an input', workflow('', `{ ${CALLED}, with: { a: "\${{ secrets.A }}" } }`)],
    ['env as a secret', workflow('', `{ ${CALLED}, secrets: { A: "\${{ env.A }}" } }`)],
  ])('%s stops the job', (_, text) => {
    expect(barredJobs(repositoryOf(text))).toEqual(['a']);
  });

  it.each([
    ['secrets for the workflow', workflow('env: { A: "${{ secrets.A }} ${{ inputs.b }}" }', JOB)],
    ['a name of a run', workflow('run-name: ${{ github.actor }} ${{ vars.A }}', JOB)],
    ['a matrix for the machine', workflow('', `{ runs-on: "\${{ matrix.os || vars.OS }}", ${STEPS} }`)],
    ['a matrix as an input', workflow('', `{ ${CALLED}, with: { a: "\${{ matrix.a }} \${{ needs.b.result }}" } }`)],
    ['a secret as a secret', workflow('', `{ ${CALLED}, secrets: { A: "\${{ secrets.A }}" } }`)],
  ])('%s does not', (_, text) => {
    expect(barredJobs(repositoryOf(text))).toEqual([]);
  });
});

describe('a job that needs one that cannot start', () => {
  const chain = (rest: string, first = ''): string =>
    `on: push\njobs:\n  a: { runs-on: ubuntu-20.04, ${first}${STEPS} }\n  b: { needs: a, runs-on: ubuntu-latest, ${rest}${STEPS} }\n  c: { needs: [d, B], runs-on: ubuntu-latest, ${STEPS} }\n  d: { runs-on: ubuntu-latest, ${STEPS} }\n`;

  it.each([
    ['', ['a', 'b', 'c']],
    ["if: github.ref == 'refs/heads/main', ", ['a', 'b', 'c']],
    ["if: needs.a.result == 'success', ", ['a', 'b', 'c']],
    ['if: always(), ', ['a']],
    ['if: "!success ()", ', ['a']],
    ['if: "!cancelled()", ', ['a']],
    ["if: failure() || vars.X == '1', ", ['a']],
  ])('with %j', (rest, barred) => {
    expect(barredJobs(repositoryOf(chain(rest)))).toEqual(barred);
  });

  it('starts if that one may fail', () => {
    expect(barredJobs(repositoryOf(chain('', 'continue-on-error: true, ')))).toEqual(['a']);
  });

  it('is found in cycles and long chains', () => {
    const length = 900;
    const jobs = Array.from(
      { length },
      (_, index) => `  j${index}: { needs: j${index - 1}, runs-on: ubuntu-latest, ${STEPS} }\n`,
    );
    const text = `on: push\njobs:\n  j-1: { needs: j${length - 1}, runs-on: ubuntu-20.04, ${STEPS} }\n${jobs.reverse().join('')}`;
    expect(barredJobs(repositoryOf(text))).toHaveLength(length + 1);
  });
});

it('only github.com retires images and releases; every server rejects the same files', () => {
  const of = (text: string): Repository => {
    const platform = enterpriseServer('3.19');
    return createRepository([{ path: '.github/workflows/a.yml', text }], undefined, platform && { platform });
  };
  expect(barredJobs(of(`on: push\njobs:\n  a: { runs-on: ubuntu-20.04, ${STEPS} }\n`))).toEqual([]);
  expect(barredJobs(of(`on: push\njobs:\n  a: { runs-on: x, steps: [{ uses: actions/cache@v1 }] }\n`))).toEqual([]);
  expect(barredJobs(of(`on: push\njobs:\n  a: { runs-on: x, if: secrets.A, ${STEPS} }\n`))).toEqual(['a']);
});
