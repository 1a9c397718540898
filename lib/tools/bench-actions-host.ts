import type { History, PastCommit } from '#lib/simulator/git.ts';
import type { NewRepository } from '#lib/simulator/model.ts';
import { startSimulator } from '#lib/simulator/server.ts';
import { makeBenchApp } from './bench-app.ts';

const DAY_MS = 86_400_000;
const TAGS = 30;

interface Options {
  readonly folder: string;
  readonly publicToken: string;
  readonly actions: number;
}

const bundle = (size: number): string =>
  `/******/ (() => { // webpackBootstrap\n${'function f(a) { return a.map((b) => b + 1); }\n'.repeat(size / 46)}})();\n`;

const FILES: readonly Readonly<Record<string, string>>[] = [
  {
    'action.yml': 'name: A\ndescription: A\nruns:\n  using: node24\n  main: dist/index.js\n',
    'dist/index.js': bundle(200_000),
    'src/index.ts': 'export {};\n',
    'package.json': '{"scripts":{"build":"ncc build"}}\n',
    'package-lock.json': '{"lockfileVersion":3}\n',
  },
  {
    'action.yml':
      'name: A\ndescription: A\ninputs: { name: { description: A } }\nruns:\n  using: composite\n  steps:\n' +
      '    - uses: actions/cache@v4\n    - run: ./run.sh "${{ inputs.name }}"\n      shell: bash\n',
    'run.sh': '#!/bin/sh\necho "$1"\n',
  },
  {
    'action.yml': 'name: A\ndescription: A\nruns:\n  using: docker\n  image: Dockerfile\n',
    Dockerfile: 'FROM alpine:3\nRUN apk add --no-cache git\nCOPY run.sh /run.sh\nENTRYPOINT ["/run.sh"]\n',
    'run.sh': '#!/bin/sh\ngit version\n',
  },
  {
    'action.yml': 'name: A\ndescription: A\nruns:\n  using: node20\n  main: dist/index.js\n',
    'dist/index.js': bundle(1_500_000),
  },
];

const { folder, publicToken, actions } = JSON.parse(process.argv[2] ?? '{}') as Options;
const app = makeBenchApp();
const simulator = await startSimulator({ port: 0, dataFolder: folder, app, publicToken });
await simulator.world.addHistories(Array.from({ length: actions }, (_, index) => toAction(index)));
process.send?.({ ready: { webUrl: simulator.webUrl, apiUrl: simulator.apiUrl, graphqlUrl: simulator.graphqlUrl } });
process.on('message', () => process.send?.({ requests: simulator.log.length }));
process.once('disconnect', () => void simulator.stop().finally(() => process.exit(0)));

function toAction(index: number): { repository: NewRepository; history: History } {
  const workflow =
    'on: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v6\n      - run: npm test\n';
  const files = { ...FILES[index % FILES.length], LICENSE: 'MIT\n', '.github/workflows/ci.yml': workflow };
  const commits = Array.from(
    { length: TAGS },
    (_, place): PastCommit => ({
      files: { ...(place === 0 ? files : {}), 'CHANGELOG.md': `1.${place}.0\n` },
      keepOthers: true,
      message: `1.${place}.0`,
      author: {
        name: 'Ada',
        email: 'ada@example.com',
        date: new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (TAGS - place) * 10 * DAY_MS),
      },
      ...(place === 0 ? {} : { parent: place - 1 }),
    }),
  );
  const tags = commits.map(({ message }, place) => [`refs/tags/v${message}`, place] as const);
  return {
    repository: { fullName: `bench/action-${index}`, stars: index, settings: { rulesets: [] } },
    history: { commits, refs: { ...Object.fromEntries(tags), 'refs/heads/main': TAGS - 1, 'refs/tags/v1': TAGS - 1 } },
  };
}
