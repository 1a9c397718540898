import { describe, expect, it } from 'vitest';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { packagesPublishedIn } from './published-packages.ts';

function published(steps: string, rest = ''): string {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${rest}    steps:\n${steps}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const last = stepsOf(workflows[0] as Workflow).at(-1);
  if (last === undefined) throw new Error('no step');
  return packagesPublishedIn(last)
    .map(({ registry, place }) => {
      if (place.kind === 'unknown') return `${registry}:?`;
      return `${registry}:${place.kind === 'workspaces' ? 'all of ' : ''}/${place.folder}${'only' in place ? place.only.map((each) => ` ${each}`).join('') : ''}`;
    })
    .join();
}

const run = (line: string): string => published(`      - run: |\n          ${line.replaceAll('\n', '\n          ')}`);

describe('the package that a command publishes', () => {
  it.each([
    ['npm publish --access public --tag next', 'npm:/'],
    ['npm publish ./packages/core --provenance', 'npm:/packages/core'],
    ['npm publish npm', 'npm:/npm'],
    ['cd packages/core && npm publish', 'npm:/packages/core'],
    ['(cd packages/core && npm publish)\nnpm publish', 'npm:/packages/core,npm:/'],
    ['npm publish --workspaces', 'npm:all of /'],
    ['npm publish -w packages/a --workspace=@acme/b', 'npm:all of / packages/a @acme/b'],
    ['npm publish --prefix client', 'npm:/client'],
    ['pnpm -r publish --no-git-checks', 'npm:all of /'],
    ['pnpm publish --filter @acme/a', 'npm:all of / @acme/a'],
    ['yarn npm publish', 'npm:/'],
    ['bun publish', 'npm:/'],
    ['npx changeset publish', 'npm:all of /'],
    ['npx lerna publish from-package --yes', 'npm:all of /'],
    ['npx semantic-release', 'npm:/'],
    ['npm publish ./acme-1.0.0.tgz', 'npm:?'],
    ['for each in packages/*; do cd "$each"; npm publish; done', 'npm:?'],
    ['npm publish ../other', 'npm:?'],
    ['python -m twine upload dist/*', 'PyPI:/'],
    ['twine upload --skip-existing python/dist/*.whl', 'PyPI:/python'],
    ['cd python\npoetry publish --build', 'PyPI:/python'],
    ['uv publish --directory python', 'PyPI:/python'],
    ['uvx twine upload -r pypi dist/*', 'PyPI:/'],
    ['hatch publish', 'PyPI:/'],
  ])('%s', (line, expected) => expect(run(line)).toBe(expected));
});

describe('the package that an action publishes', () => {
  it.each([
    ['pypa/gh-action-pypi-publish@release/v1', '', 'PyPI:/'],
    ['pypa/gh-action-pypi-publish@release/v1', 'packages-dir: python/dist/', 'PyPI:/python'],
    ['pypa/gh-action-pypi-publish@release/v1', 'repository-url: https://upload.pypi.org/legacy/', 'PyPI:/'],
    ['PyO3/maturin-action@v1', 'command: upload, working-directory: bindings', 'PyPI:/bindings'],
    ['JS-DevTools/npm-publish@v4', 'package: packages/a/package.json', 'npm:/packages/a'],
    ['changesets/action@v1', 'publish: pnpm release', 'npm:all of /'],
    ['cycjimmy/semantic-release-action@v4', 'working_directory: app', 'npm:/app'],
  ])('%s { %s }', (uses, inputs, expected) =>
    expect(published(`      - { uses: ${uses}, with: { ${inputs} } }`)).toBe(expected),
  );
});

describe('ignores what does not go to npm or PyPI', () => {
  it.each([
    'npm publish --dry-run',
    'npm publish --registry https://npm.acme.dev',
    'cargo publish',
    'twine upload --repository testpypi dist/*',
    'twine upload --repository-url https://pypi.acme.dev dist/*',
    'uv publish --publish-url https://pypi.acme.dev',
    'uv publish --index testpypi',
  ])('%s', (line) => expect(run(line)).toBe(''));

  it.each([
    ['the trial index', 'pypa/gh-action-pypi-publish@v1', 'repository-url: https://test.pypi.org/legacy/'],
    ['an index of their own', 'pypa/gh-action-pypi-publish@v1', 'repository_url: https://pypi.acme.dev/'],
    ['a registry of their own', 'JS-DevTools/npm-publish@v4', 'registry: https://npm.pkg.github.com'],
    ['only the next versions proposed', 'changesets/action@v1', 'version: pnpm version'],
  ])('%s: %s { %s }', (_, uses, inputs) =>
    expect(published(`      - { uses: ${uses}, with: { ${inputs} } }`)).toBe(''),
  );

  it('ignores packages after a set-up for another registry, or with a variable that selects one', () => {
    const setUp = '      - { uses: actions/setup-node@v5, with: { registry-url: https://npm.pkg.github.com } }\n';
    expect(published(`${setUp}      - run: npm publish`)).toBe('');
    expect(published('      - run: npm publish', '    env: { NPM_CONFIG_REGISTRY: "https://npm.acme.dev" }\n')).toBe(
      '',
    );
    const trial = '    env: { TWINE_REPOSITORY_URL: "https://test.pypi.org/legacy/" }\n';
    expect(published('      - run: twine upload dist/*', trial)).toBe('');
  });
});
