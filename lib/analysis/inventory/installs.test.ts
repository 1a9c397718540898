import { expect, it } from 'vitest';
import { stepsOf } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { installOf } from './installs.ts';

function installed(line: string): string[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          ${line}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return workflows
    .flatMap((workflow) => Array.from(stepsOf(workflow)))
    .flatMap((step) => commandsOf(step))
    .flatMap((command) => {
      const install = installOf(command);
      return install?.packages.map(({ text, exact }) => `${install.tool} ${text}${exact ? ' exact' : ''}`) ?? [];
    });
}

it.each([
  ['npm --prefix site i -D a @acme/b@1.2.3', ['npm a', 'npm @acme/b@1.2.3 exact']],
  ['npm install "x@$VERSION"', ['npm x@$VERSION exact']],
  ['npm exec --yes a', ['npm exec a']],
  ['npx -p a -c b', ['npx a']],
  ['npx -c "b x" --package=a', ['npx a']],
  ['npx --package a@1.2.3 -p c b', ['npx a@1.2.3 exact']],
  ['npx --yes commitlint -p "x"', ['npx commitlint']],
  ['npx semantic-release -p "@acme/plugin"', []],
  ['npx tool --package x', []],
  ['npx -y tool --no-install', ['npx tool']],
  ['npm exec --package=a -- b -p c', ['npm exec a']],
  ['pnpx a', ['pnpx a']],
  ['pnpx @acme/a publish --yes', ['pnpx @acme/a']],
  ['pnpx @acme/a@1.2.3 publish', ['pnpx @acme/a@1.2.3 exact']],
  ['pnpx --package=a b', ['pnpx a']],
  ['pnpm dlx a@1', ['pnpm dlx a@1']],
  ['pnpm --silent dlx --package a b --package c', ['pnpm dlx a']],
  ['pnpm dlx --package=a@1.2.3 b', ['pnpm dlx a@1.2.3 exact']],
  ['yarn dlx -q -p a b', ['yarn dlx a']],
  ['bunx a@latest', ['bunx a@latest']],
  ['yarn add a --dev', ['yarn a']],
  ['bun add a@1', ['bun a@1']],
  ['uv pip install --index-url https://x.example "a>=1" b==1.0', ['pip a>=1', 'pip b==1.0 exact']],
  ['pip install -r r.txt a', ['pip a']],
  ['pip install -c constraints.txt a', ['pip a exact']],
  ['pip install numpy==2.0.*', ['pip numpy==2.0.*']],
  ['pip install git+https://x.example/a@0123456789012345678901234567890123456789', [expect.stringContaining('exact')]],
  ['pipx install "poetry==2.0.0"', ['pipx poetry==2.0.0 exact']],
  ['pipx inject poetry a "b==1.0"', ['pipx inject a', 'pipx inject b==1.0 exact']],
  [
    'poetry self add "a[plugin]" b@1.2.0 c@^1.2',
    ['poetry self a[plugin]', 'poetry self b@1.2.0 exact', 'poetry self c@^1.2'],
  ],
  ['pdm self add a', ['pdm self a']],
  ['pipx run --spec tool.py tool.py', ['pipx tool.py']],
  ['pipx run https://x.example/a.py', ['pipx https://x.example/a.py']],
  ['pipx install tool.py', ['pipx tool.py']],
  ['pip install tool.py', ['pip tool.py']],
  ['uv run --with build python -m build', ['uv run build']],
  [
    'uv run --frozen --with=a --with "b>=2,c==1.0" -- pytest --with d',
    ['uv run a', 'uv run b>=2', 'uv run c==1.0 exact'],
  ],
  ['uv run -w a -m b', ['uv run a']],
  ['uvx --from a==1.0 b', ['uvx a==1.0 exact']],
  ['gem install a:1.2.3 b', ['gem a:1.2.3 exact', 'gem b']],
  ['cargo install a --locked', ['cargo a']],
  ['cargo install a -Z sparse-registry', ['cargo a']],
  ['cargo +nightly install --git https://x.example/a', ['cargo https://x.example/a']],
  ['pip install -e git+https://x.example/a.git#egg=a', ['pip git+https://x.example/a.git#egg=a']],
  ['cargo install a@1.2.3', ['cargo a@1.2.3 exact']],
  ['go run example.com/a@latest', ['go example.com/a@latest']],
  ['gh extension install a/b', ['gh extension a/b']],
  ['helm plugin install https://x.example/p --version 1.0.0', ['helm plugin https://x.example/p exact']],
  ['nix run github:a/b -- github:c/d', ['nix run github:a/b']],
])('%s', (line, expected) => {
  expect(installed(line)).toEqual(expected);
});

it.each([
  'nix run .#a -- github:b/c',
  'poetry add a',
  'poetry self update',
  'poetry self add ./plugin',
  'pipx inject poetry',
  'uv run python -m build',
  'uv run pytest --with build',
  'uv run --with-requirements build.txt a',
  'uv run --with . --with ./plugin.whl --with-editable plugin a',
  'uv build --with a',
  'npm run add a',
  'npm ci',
  'npm i ./a file:../b c.tgz',
  'npx a',
  'npx a publish --yes',
  'npx --no a@1',
  'pnpx ./a',
  'pnpx "$TOOL"',
  'pnpm exec a',
  'yarn exec a',
  'bunx a',
  'yarn add',
  'pip install . -e ./b "$WHEEL" dist/*.whl third-party/c',
  'pip download a',
  'pip install --no-index a',
  'pip install "a[tests] @ ."',
  'cargo install --path a',
  'cargo +nightly install --git https://x.example/a --rev 0123abc',
  'pip install -e ./a',
  'cargo install a --version 1.0.0 --locked',
  'go install example.com/a@v1.2.3',
  'gem install --local a',
  'pipx run set_env.py "$INPUTS"',
  'python -m pipx run tools/check.py --strict',
  'pipx run --path tools/check',
  'uv run tools/check.py',
  'npx ./tools/check.mjs',
  'npx -y ../tools',
  'uvx --generate-shell-completion bash',
  `npm i ${'a@'.repeat(400)}`,
])('ignores %s', (line) => {
  expect(installed(line)).toEqual([]);
});
