import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { outsiderCheckouts } from '../checkouts/checkouts.ts';
import { isOnlyData } from './data-only.ts';

interface GivenStep {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function handled(later: readonly GivenStep[], path?: string): boolean {
  const ref = '${{ github.event.pull_request.head.sha }}';
  const own = { uses: 'actions/checkout@v4.1.0' };
  const steps = [own, { ...own, with: { ref, ...(path === undefined ? {} : { path }) } }, ...later];
  const text = `on: pull_request_target\njobs: { a: { runs-on: ubuntu-latest, steps: ${JSON.stringify(steps)} } }`;
  const repository = createRepository([{ path: '.github/workflows/w.yml', text }]);
  const job = repository.workflows[0]?.jobs[0];
  const [checkout] = job === undefined ? [] : outsiderCheckouts(job, repository);
  if (checkout === undefined) throw new Error('no checkout');
  return isOnlyData(checkout);
}

const COUNT = 'python scripts/count.py pr/data.json';

it.each<[GivenStep, boolean]>([
  [{ run: COUNT }, true],
  [{ run: `python -u scripts/count.py pr/data.json > counted.json` }, true],
  [{ run: `bash -eu scripts/count.sh pr/data.json 2>&1 | tee counted.txt` }, true],
  [{ run: `${COUNT} >> "$GITHUB_OUTPUT"` }, true],
  [{ run: `cp pr/data.json data.json\n${COUNT}` }, true],
  [{ run: `cp pr/scripts/count.py copy.py\ndiff copy.py scripts/count.py` }, true],
  [{ run: `cp -r pr/scripts scripts\n${COUNT}` }, false],
  [{ run: `cat pr/count.py > scripts/count.py\n${COUNT}` }, false],
  [{ run: `tar xf pr/data.tar\n${COUNT}` }, false],
  [{ run: `unzip -o pr/data.zip\n${COUNT}` }, false],
  [{ run: `git apply pr/data.diff\n${COUNT}` }, false],
  [{ run: 'python -m pr.count pr/data.json' }, false],
  [{ run: `bash -c 'cd pr; make x.y' pr/data.json` }, false],
  [{ run: COUNT, env: { PYTHONPATH: 'pr' } }, false],
  [{ run: COUNT, env: { DATA_PATH: 'pr' } }, false],
  [{ run: 'export PATH="$PWD/pr/bin:$PATH"\nyq . a.yml' }, false],
  [{ run: 'PATH="$PWD/pr/bin:$PATH"\nyq . a.yml' }, false],
  [{ run: 'yq . a.yml', env: { PATH: 'pr/bin' } }, false],
  [{ run: 'DATA_PATH=pr/data.json\nyq . "$DATA_PATH"' }, true],
])('files of a fork in a folder, then %j: %s', (step, expected) => {
  expect(handled([step], 'pr')).toBe(expected);
});

it('counts a merge inside the folder as one that leaves scripts alone', () => {
  const merge = { run: 'git merge origin/main' };
  expect(handled([{ ...merge, 'working-directory': 'pr' }, { run: COUNT }], 'pr')).toBe(true);
  expect(handled([merge, { run: COUNT }], 'pr')).toBe(false);
});

it.each<[GivenStep, boolean]>([
  [{ run: 'git diff --stat origin/main' }, true],
  [{ run: 'git config include.path ../.gitconfig\ngit diff' }, false],
  [{ run: 'git -c core.fsmonitor=./watch status' }, false],
  [{ run: 'pip install ruamel.yaml' }, true],
  [{ run: 'pip install yaml.whl' }, false],
  [{ uses: 'actions/setup-node@v4', with: { cache: 'npm' } }, true],
  [{ uses: 'actions/setup-node@v4', with: { cache: 'yarn' } }, false],
  [{ uses: 'actions/setup-node@v4', with: { cache: '${{ matrix.tool }}' } }, false],
])('files of a fork in the place of the repository’s, then %j: %s', (step, expected) => {
  expect(handled([step])).toBe(expected);
});
