import { expect, test } from 'vitest';
import { cacheUseOf } from './caches.ts';
import { stepsOf, type Workflow } from './model.ts';
import { publishesIn } from './publish.ts';
import { createRepository } from './repository.ts';

function stepOf(step: string) {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;
  const [first] = [...stepsOf(createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0] as Workflow)];
  if (first === undefined) throw new Error('no step');
  return first;
}

const published = (step: string): string =>
  publishesIn(stepOf(step))
    .map(({ kind }) => kind)
    .join();
const cached = (step: string): string | undefined => cacheUseOf(stepOf(step))?.how;

test.each([
  ['run: npm publish --access public', 'package'],
  ['run: npx semantic-release', 'package'],
  ['run: python -m twine upload dist/*', 'package'],
  ['run: docker buildx build . --push -t a', 'image'],
  ['run: gh release upload v1 a.zip', 'release'],
  ['run: cosign sign --yes image', 'sign'],
  ['uses: pypa/gh-action-pypi-publish@v1', 'package'],
  ['{ uses: docker/build-push-action@v6, with: { push: true } }', 'image'],
  ['{ uses: goreleaser/goreleaser-action@v6, with: { args: release --clean } }', 'release'],
])('%s publishes', (step, kind) => expect(published(step)).toBe(kind));

test.each([
  'run: npm publish --dry-run',
  'run: npm run publish-docs',
  'run: docker build .',
  'run: gh release view',
  'run: aws s3 cp s3://bucket/a .',
  '{ uses: docker/build-push-action@v6, with: { push: false } }',
  '{ uses: goreleaser/goreleaser-action@v6, with: { args: release --snapshot } }',
])('%s publishes nothing', (step) => expect(published(step)).toBe(''));

test('caches follow each action’s default and its major version', () => {
  expect(cached('uses: actions/setup-go@v5')).toBe('default');
  expect(cached('uses: actions/setup-go@v3')).toBeUndefined();
  expect(cached('{ uses: actions/setup-go@v3, with: { cache: true } }')).toBe('asked');
  expect(cached('uses: actions/setup-node@v4')).toBeUndefined();
  expect(cached('{ uses: actions/setup-node@v4, with: { cache: npm } }')).toBe('asked');
  expect(cached('uses: actions/cache/save@v4')).toBeUndefined();
  expect(cached('{ uses: actions/cache@v4, with: { lookup-only: true } }')).toBeUndefined();
  expect(cached('{ uses: docker/build-push-action@v6, with: { cache-from: type=gha } }')).toBe('asked');
  expect(cached('{ uses: docker/build-push-action@v6, with: { cache-from: "type=registry,ref=a" } }')).toBeUndefined();
});
