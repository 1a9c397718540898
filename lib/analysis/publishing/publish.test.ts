import { expect, test } from 'vitest';
import { PUBLISHING_COMMANDS, PUBLISHING_MENTION } from '#lib/data/curated/publishers.ts';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { cacheUseOf } from '../workspace/caches.ts';
import { publishesIn } from './publish.ts';

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
  ['uses: KSXGitHub/github-actions-deploy-aur@v4.1.3', 'package'],
  ['run: npm publish --access public', 'package'],
  ['run: npx semantic-release', 'package'],
  ['run: python -m twine upload dist/*', 'package'],
  ['run: docker buildx build . --push -t a', 'image'],
  ['run: gh release upload v1 a.zip', 'release'],
  ['run: npx publish-extension', 'package'],
  ['run: npx publish-browser-extension --chrome-zip a.zip', 'package'],
  ['run: npx publish-extension --dry-run', ''],
  ['run: pnpm exec wxt submit --chrome-zip a.zip', 'package'],
  ['run: npx wxt submit init', ''],
  ['run: npx wxt zip', ''],
  ['run: npx web-ext submit', 'package'],
  ['run: cosign sign --yes image', 'sign'],
  ['run: uv run twine upload dist/*', 'package'],
  ['run: yarn changeset publish', 'package'],
  ['run: npx -y nx release', 'package'],
  ['run: ./gradlew build publishToSonatype closeAndReleaseSonatypeStagingRepository', 'package'],
  ["run: './gradlew :plugin:publish'", 'package'],
  ['run: ./mvnw -B -DskipTests clean deploy', 'package'],
  ['run: sbt ci-release', 'package'],
  ['run: bundle exec rake release', 'package'],
  ['run: bundle exec rake release:announce', ''],
  ['run: rake release-notes', ''],
  ['run: dart pub publish --force', 'package'],
  ['run: docker buildx imagetools create -t a a-amd64 a-arm64', 'image'],
  ['run: skopeo copy oci:a docker://ghcr.io/a/b', 'image'],
  ['run: ./gradlew jib', 'image'],
  ['run: terraform -chdir=infra apply -auto-approve', 'deploy'],
  ['run: npx cdk deploy --all', 'deploy'],
  ['run: gsutil -m rsync -r site gs://bucket', 'deploy'],
  ['run: rsync -a site/ deploy@example.com:/srv/site', 'deploy'],
  ['run: aws eks update-kubeconfig --name a && kubectl -n web apply -f deploy.yaml', 'deploy'],
  ['run: anaconda -t $TOKEN upload -u acme pkg/*.conda', 'package'],
  ['run: conda run -n release anaconda --token $TOKEN upload a.conda', 'package'],
  ['run: conda build recipe --user acme --token $TOKEN', 'package'],
  ['run: rattler-build upload anaconda -o acme a.conda', 'package'],
  ['run: python3.12 -m twine --no-color upload dist/*', 'package'],
  ['run: uv run --with twine twine upload dist/*', 'package'],
  ['run: uv tool run twine upload dist/*', 'package'],
  ['run: pipx run --spec twine==6.1.0 twine upload dist/*', 'package'],
  ['run: hatch run release:build && hatch -v publish', 'package'],
  ['run: poetry --no-interaction publish --build', 'package'],
  ['run: poetry -C pkg publish', 'package'],
  ['run: uv --directory pkg publish', 'package'],
  ['run: pnpm -r --filter "./packages/*" publish', 'package'],
  ['run: npm -w packages/a publish', 'package'],
  ['run: npm stage publish', 'package'],
  ['run: cargo +nightly --locked publish -p a', 'package'],
  ['run: ko build ./cmd/app', 'image'],
  ['uses: etils-actions/pypi-auto-publish@v1', 'package'],
  ['uses: pypa/gh-action-pypi-publish@v1', 'package'],
  ['{ uses: docker/build-push-action@v6, with: { push: true } }', 'image'],
  ['{ uses: goreleaser/goreleaser-action@v6, with: { args: release --clean } }', 'release'],
  ['{ uses: goreleaser/goreleaser-action@v6, with: { args: continue --merge } }', 'release'],
  ['{ uses: goreleaser/goreleaser-action@v6, with: { args: publish --merge } }', 'release'],
  ['run: goreleaser publish --merge', 'release'],
  ['run: goreleaser release --clean --skip=announce', 'release'],
  ['uses: release-plz/action@v0.5', 'package'],
  ['{ uses: release-plz/action@v0.5, with: { command: release } }', 'package'],
  ['run: release-plz release --git-token "$TOKEN"', 'package'],
  ['{ uses: changesets/action@v1, with: { publish: pnpm release } }', 'package'],
  ["{ uses: changesets/action@v1, with: { publish: 'echo start && npx changeset publish' } }", 'package'],
  ['run: dput ppa:acme/app ../app_1_source.changes', 'package'],
  ['run: for each in ../*.changes; do dput --unchecked ppa:acme/app "$each"; done', 'package'],
  ['run: dput -u ppa:acme/app ../app_1_source.changes', 'package'],
  ['run: copr-cli build --nowait acme/app app.src.rpm', 'package'],
  ['run: copr-cli --config copr.conf buildscm acme/app --clone-url "$URL"', 'package'],
  ['run: npx jsr publish', 'package'],
  ['run: pnpm dlx jsr publish --allow-dirty', 'package'],
  ['run: yarn dlx --quiet jsr publish', 'package'],
  ['run: npm exec --yes --package jsr@0.14.3 -- jsr publish', 'package'],
  ['run: deno publish', 'package'],
  ['{ uses: tauri-apps/tauri-action@v1, with: { releaseId: "${{ needs.draft.outputs.id }}" } }', 'release'],
  ['{ uses: tauri-apps/tauri-action@v0, with: { tagName: v__VERSION__ } }', 'release'],
])('%s publishes', (step, kind) => expect(published(step)).toBe(kind));

test.each([
  'run: npm publish --dry-run',
  '{ uses: changesets/action@v1, with: { version: pnpm version } }',
  '{ uses: changesets/action@v1, with: { publish: echo "Publish" } }',
  'run: npm run publish-docs',
  'run: docker build .',
  'run: gh release view',
  'run: aws s3 cp s3://bucket/a .',
  'run: ./gradlew publishToMavenLocal publishAllPublicationsToStagingRepository',
  'run: ./mvnw deploy -DaltDeploymentRepository=local::file:./staging',
  'run: sbt publishLocal',
  'run: terraform plan',
  'run: tflocal init && terraform apply',
  'run: kubectl apply -f deploy.yaml',
  'run: kind create cluster --kubeconfig kind.yaml && kubectl apply -f deploy.yaml',
  'run: rsync -a deploy@example.com:/srv/site site',
  'run: gsutil cp gs://bucket/a .',
  'run: skopeo copy docker://ghcr.io/a/b oci:a',
  'run: uv run pytest',
  'run: anaconda -t $TOKEN whoami',
  'run: conda build recipe --output-folder out',
  'run: uv --directory publish run pytest',
  'run: npx --package twine pytest upload',
  'run: poetry --no-interaction install --with publish',
  'run: npm -w publish run build',
  'run: ko build --local ./cmd/app',
  'run: pnpm --filter app build publish.ts',
  'run: rush publish --include-all',
  '{ uses: docker/build-push-action@v6, with: { push: false } }',
  '{ uses: goreleaser/goreleaser-action@v6, with: { args: release --snapshot } }',
  '{ uses: goreleaser/goreleaser-action@v6, with: { args: release --clean --split } }',
  '{ uses: goreleaser/goreleaser-action@v6, with: { args: build --id continue } }',
  'run: goreleaser release --split',
  'run: goreleaser release --skip=publish',
  'run: goreleaser release --skip validate,publish',
  '{ uses: release-plz/action@v0.5, with: { command: release-pr } }',
  '{ uses: MarcoIeni/release-plz-action@v0.5, with: { command: release-pr } }',
  'run: release-plz release-pr --git-token "$TOKEN"',
  'run: dput --simulate ppa:acme/app ../app_1_source.changes',
  'run: dput --version',
  'run: sudo apt-get install -y dput devscripts',
  'run: debuild -S -sa',
  'run: copr-cli list acme',
  'run: pipx install copr-cli',
  'run: npx jsr add @acme/app',
  'run: deno publish --dry-run',
  'uses: tauri-apps/tauri-action@v1',
  '{ uses: tauri-apps/tauri-action@v1, with: { releaseId: "", args: --verbose } }',
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

test('names a command by its most specific words', () => {
  const names = (step: string) => publishesIn(stepOf(step)).map(({ name }) => name);
  expect(names('run: ./gradlew -q build publishPlugins')).toEqual(['gradlew publishPlugins']);
  expect(names('run: mvn -B deploy')).toEqual(['mvn deploy']);
  expect(names('run: poetry run twine upload dist/*')).toEqual(['twine upload']);
});

test('does not count what a test sets up as a deployment', () => {
  const deployed = (job: string) => {
    const text = `on: push\njobs:\n  ${job}:\n    runs-on: ubuntu-latest\n    steps:\n      - run: terraform apply\n`;
    const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
    return stepsOf(workflows[0] as Workflow).flatMap(publishesIn).length;
  };
  expect(deployed('production')).toBe(1);
  expect(deployed('integration')).toBe(0);
  expect(deployed('smoke-test')).toBe(0);
});

test('follows nested launchers to a bounded depth', () => {
  expect(published(`run: ${'npx '.repeat(5_000)}npm publish`)).toBe('');
});

test('parses a script that mentions any of the commands', () => {
  for (const [program, calls] of Object.entries(PUBLISHING_COMMANDS)) {
    for (const { call } of calls) expect(`${program} ${call.source}`).toMatch(PUBLISHING_MENTION);
  }
});
