import { describe } from 'vitest';
import {
  CALLED,
  composite,
  jobs,
  LOCAL,
  main,
  row,
  type StepLike,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const RELEASE = { push: { tags: ['v*'] } };
const CACHE: StepLike = {
  uses: 'actions/cache@v4',
  with: { path: 'node_modules', key: "k-${{ hashFiles('package-lock.json') }}", 'restore-keys': 'k-' },
};
const PUBLISH: StepLike = { run: 'npm publish', env: { NODE_AUTH_TOKEN: '${{ secrets.NPM_TOKEN }}' } };

const release = (...steps: StepLike[]): string => workflow(RELEASE, [{ uses: 'actions/checkout@v4' }, ...steps]);
const setup = (action: string, inputs: object): string => release({ uses: action, with: inputs }, 'make', PUBLISH);
const publishing = (name: string, run: StepLike): ReturnType<typeof row> => row(name, release(CACHE, 'make', run));

const switchable = (condition: string): ReturnType<typeof composite> =>
  composite([{ ...CACHE, if: condition }], { inputs: { 'skip-cache': { default: 'false' } } });

const RESTORES = [
  row('the cache action', release(CACHE, 'npm ci', PUBLISH)),
  row(
    'the action that only restores',
    release({ uses: 'actions/cache/restore@v4', with: { path: 'dist', key: 'dist' } }, PUBLISH),
  ),
  row(
    'a step output that allows it',
    release(
      { id: 'a', run: 'echo "hit=1" >> $GITHUB_OUTPUT' },
      { ...Object(CACHE), if: "steps.a.outputs.hit == '1'" },
      PUBLISH,
    ),
  ),
  row('setup-node', setup('actions/setup-node@v4', { cache: 'npm' })),
  row('setup-node with yarn', setup('actions/setup-node@v4', { cache: 'yarn' })),
  row('setup-python', setup('actions/setup-python@v5', { cache: 'pip' })),
  row('setup-java', setup('actions/setup-java@v4', { distribution: 'temurin', cache: 'gradle' })),
  row('setup-go', setup('actions/setup-go@v5', { 'go-version': '1.23' })),
  row('setup-dotnet', setup('actions/setup-dotnet@v4', { cache: true })),
  row('setup-ruby', setup('ruby/setup-ruby@v1', { 'bundler-cache': true })),
  row('setup-uv', setup('astral-sh/setup-uv@v5', { 'enable-cache': true })),
  row('rust-cache', setup('Swatinem/rust-cache@v2', {})),

  row(
    'sccache with its variable',
    workflow(
      RELEASE,
      [
        { uses: 'actions/checkout@v4' },
        { uses: 'mozilla-actions/sccache-action@v0.0.7' },
        'cargo build',
        { run: 'cargo publish', env: { CARGO_REGISTRY_TOKEN: '${{ secrets.C }}' } },
      ],
      { env: { SCCACHE_GHA_ENABLED: 'true' } },
    ),
  ),
  row('ccache', setup('hendrikmuhs/ccache-action@v1.2', {})),
  row('setup-gradle', setup('gradle/actions/setup-gradle@v4', {})),
  row('a cache of pnpm', setup('pnpm/action-setup@v4', { cache: true })),
  row(
    'a cache of Docker layers',
    release({ uses: 'docker/build-push-action@v6', with: { push: true, tags: 'acme/app', 'cache-from': 'type=gha' } }),
  ),
  row('setup-bun', setup('oven-sh/setup-bun@v2', {})),
  row('a cache of Poetry', setup('actions/setup-python@v5', { cache: 'poetry' })),
  row('another publisher’s cache', setup('runs-on/cache@v4', { path: 'dist', key: 'dist' })),
  row('another publisher’s cache in a bucket', setup('tespkg/actions-cache@v1', { path: 'dist', key: 'dist' })),
  row('a composite with the cache', main(release({ uses: LOCAL }, PUBLISH), composite([CACHE, 'npm ci']))),
  row(
    'a composite with setup-node',
    main(release({ uses: LOCAL }, PUBLISH), composite([{ uses: 'actions/setup-node@v4', with: { cache: 'npm' } }])),
  ),
  row(
    'a composite inside a composite',
    main(release({ uses: './.github/actions/outer' }, PUBLISH), {
      ...composite([CACHE]),
      '.github/actions/outer/action.yml': `name: o\ndescription: o\nruns:\n  using: composite\n  steps: [{ uses: ${LOCAL} }]\n`,
    }),
  ),
  row(
    'a composite whose switch is left on',
    main(release({ uses: LOCAL, with: { 'skip-cache': 'false' } }, PUBLISH), switchable("inputs.skip-cache != 'true'")),
  ),
  row(
    'a called workflow',
    main(jobs(RELEASE, { a: { uses: CALLED, secrets: 'inherit' } }), {
      [CALLED.slice(2)]: workflow('workflow_call', [CACHE, PUBLISH]),
    }),
  ),
  row(
    'a job whose output another publishes',
    jobs(RELEASE, {
      build: {
        steps: [
          { uses: 'actions/checkout@v4' },
          CACHE,
          'npm run build',
          { uses: 'actions/upload-artifact@v4', with: { name: 'dist', path: 'dist' } },
        ],
      },
      publish: { needs: 'build', steps: [{ uses: 'actions/download-artifact@v4', with: { name: 'dist' } }, PUBLISH] },
    }),
  ),
  row(
    'a shared step by a YAML anchor',
    `on: { push: { tags: ['v*'] } }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - &cache { uses: actions/cache@v4, with: { path: dist, key: dist } }\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - *cache\n      - { run: npm publish, env: { NODE_AUTH_TOKEN: "\${{ secrets.N }}" } }\n`,
  ),
  row(
    'a matrix of package managers',
    workflow(RELEASE, [{ uses: 'actions/setup-node@v4', with: { cache: '${{ matrix.pm }}' } }, PUBLISH], {
      strategy: { matrix: { pm: ['npm'] } },
    }),
  ),
  row('a cache for a release by hand', workflow('workflow_dispatch', [CACHE, PUBLISH])),
  row('a cache for a release on a branch', workflow({ push: { branches: ['main'] } }, [CACHE, PUBLISH])),
  row('a cache for a published release', workflow({ release: { types: ['published'] } }, [CACHE, PUBLISH])),
  row('a cache for a nightly release', workflow({ schedule: [{ cron: '0 0 * * *' }] }, [CACHE, PUBLISH])),
];

const PUBLISHES = [
  publishing('yarn npm publish', { run: 'yarn npm publish' }),
  publishing('pnpm publish', { run: 'pnpm -r publish --no-git-checks' }),
  publishing('a script named publish', { run: 'pnpm run ci:publish', env: { NODE_AUTH_TOKEN: '${{ secrets.N }}' } }),
  publishing('a script named release', { run: 'npm run release', env: { NODE_AUTH_TOKEN: '${{ secrets.N }}' } }),
  publishing('changesets', { uses: 'changesets/action@v1', with: { publish: 'npm run release' } }),
  publishing('semantic-release', { run: 'npx semantic-release' }),
  publishing('twine', { run: 'twine upload dist/*' }),
  publishing('the PyPI action', { uses: 'pypa/gh-action-pypi-publish@release/v1' }),
  publishing('uv publish', { run: 'uv publish' }),
  publishing('poetry publish', { run: 'poetry publish' }),
  publishing('cargo publish', { run: 'cargo publish' }),
  publishing('gem push', { run: 'gem push x.gem' }),
  publishing('Maven', { run: 'mvn -B deploy' }),
  publishing('Gradle', { run: './gradlew publish' }),
  publishing('NuGet', { run: 'dotnet nuget push x.nupkg' }),
  publishing('docker push', { run: 'docker push acme/app' }),
  publishing('GoReleaser', { uses: 'goreleaser/goreleaser-action@v6', with: { args: 'release' } }),
  publishing('a release with gh', { run: 'gh release create v1 dist/*' }),
  publishing('a release with an action', { uses: 'softprops/action-gh-release@v2', with: { files: 'dist/*' } }),
  publishing('VS Code extensions', { run: 'npx vsce publish' }),
  publishing('a chart of Helm', { run: 'helm push x.tgz oci://ghcr.io/acme' }),
  publishing('a package of JSR', { run: 'npx jsr publish' }),
];

const WRITES = [
  row(
    'pull request code of a run by hand that saves a cache',
    workflow({ workflow_dispatch: { inputs: { pr: { required: true } } } }, [
      { uses: 'actions/checkout@v5', with: { ref: 'refs/pull/${{ inputs.pr }}/merge' } },
      CACHE,
      'make',
    ]),
  ),
  row(
    'a key with a commit message',
    workflow('push', [
      { uses: 'actions/cache@v4', with: { path: 'x', key: 'x-${{ github.event.head_commit.message }}' } },
    ]),
  ),
  row(
    'a key from a variable',
    workflow('push', [{ uses: 'actions/cache@v4', with: { path: 'x', key: 'x-${{ env.M }}' } }], {
      env: { M: '${{ github.event.head_commit.message }}' },
    }),
  ),
  row(
    'a path with a commit message',
    workflow('push', [
      { uses: 'actions/cache@v4', with: { path: '${{ github.event.head_commit.message }}', key: 'x' } },
    ]),
  ),
];

const NEAR = [
  row('a cache of a job that publishes nothing', workflow('push', [CACHE, 'npm test'])),
  row(
    'a cache of another job',
    jobs(RELEASE, { test: { steps: [CACHE, 'npm test'] }, publish: { steps: ['npm ci', PUBLISH] } }),
  ),
  row('a release without a cache', release('npm ci', PUBLISH)),
  row('a set-up action without its cache', setup('actions/setup-node@v4', { 'node-version': '22' })),
  row('a set-up action with its cache off', setup('actions/setup-go@v5', { cache: false })),
  row(
    'a cache that is off for releases',
    setup('astral-sh/setup-uv@v6', { 'enable-cache': "${{ github.event_name != 'push' }}" }),
  ),
  row(
    'a cache that is only saved',
    release('make', PUBLISH, { uses: 'actions/cache/save@v4', with: { path: 'dist', key: 'dist' } }),
  ),
  row(
    'a cache that is only looked up',
    release({ uses: 'actions/cache/restore@v4', with: { path: 'dist', key: 'dist', 'lookup-only': true } }, PUBLISH),
  ),
  row(
    'sccache that keeps its files elsewhere',
    release({ uses: 'mozilla-actions/sccache-action@v0.0.7' }, 'cargo build', PUBLISH),
  ),
  row('a cache after publishing', release(PUBLISH, CACHE)),
  row(
    'a cache in a step that a tag does not run',
    release({ ...Object(CACHE), if: "!startsWith(github.ref, 'refs/tags/')" }, PUBLISH),
  ),
  row('a trial of publishing', release(CACHE, 'npm publish --dry-run')),
  row('a pack that is not published', release(CACHE, 'npm pack')),
  row(
    'a key of hashes and commits',
    workflow('push', [
      { uses: 'actions/cache@v4', with: { path: 'x', key: "x-${{ github.sha }}-${{ hashFiles('**/x') }}" } },
    ]),
  ),
  row(
    'a key with the branch of a push',
    workflow('push', [{ uses: 'actions/cache@v4', with: { path: 'x', key: 'x-${{ runner.os }}' } }]),
  ),
  row(
    'a pull request with a cache of its own',
    workflow('pull_request', [{ uses: 'actions/checkout@v4' }, CACHE, 'npm test']),
  ),
  row('a composite without a cache', main(release({ uses: LOCAL }, PUBLISH), composite(['npm ci']))),
  row(
    'a composite whose switch turns the cache off',
    main(release({ uses: LOCAL, with: { 'skip-cache': 'true' } }, PUBLISH), switchable("inputs.skip-cache != 'true'")),
  ),
  row(
    'a composite whose switch is off by default',
    main(release({ uses: LOCAL }, PUBLISH), switchable("inputs.skip-cache == 'no'")),
  ),
  row(
    'a composite with the cache of a job that publishes nothing',
    main(workflow('push', [{ uses: LOCAL }, 'npm test']), composite([CACHE])),
  ),
  row('a script named prepublish-check', workflow('push', [CACHE, 'npm run lint:publish-config'])),
  row('a page of the release', workflow('push', [CACHE, 'gh release view v1'])),
];

describe('caches', () => {
  testSuite({
    rules: ['cache-poisoning', 'cache-write-untrusted'],
    atLeast: 'LOW',
    attacks: [...RESTORES, ...PUBLISHES, ...WRITES],
    nearMisses: NEAR,
  });
});
