import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, onlyToken } from '#lib/hosts/code-host/client.ts';
import { octokitFor } from '#lib/hosts/code-host/octokit.ts';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import {
  interfacesIn,
  mergeByAction,
  type ReleaseFile,
  readDefinitions,
  runtimeOf,
  runtimesIn,
  tagsOfMajors,
} from './refresh-releases.ts';

let host: CodeHostForTests;
let client: Client;

beforeAll(async () => {
  host = await startCodeHost();
  const octokit = new (octokitFor(host.apiUrl))();
  client = new Client({ octokit, graphqlUrl: host.graphqlUrl, tokens: onlyToken(host.publicToken) });
});
afterAll(() => host.stop());

const definition = (using: string, rest = ''): string =>
  `name: x\ndescription: x\n${rest}runs:\n  using: ${using}\n  main: x.js\n`;
const release = (tag: string, text: string): ReleaseFile => ({
  action: 'acme/js',
  major: Number(/\d+/.exec(tag)?.[0]),
  tag,
  text,
});

describe('definitions', () => {
  it('are read at the newest release of each major version, below the root too, from the code host', async () => {
    const repository = await host.addRepository({ fullName: 'acme/js', files: { 'action.yml': definition('node12') } });
    for (const [tag, runtime] of [
      ['v1.0.0', 'node16'],
      ['v1.2.0', 'node20'],
      ['v2', 'NODE24'],
    ] as const) {
      const files = { 'action.yml': definition(runtime), 'sub/deep/action.yaml': definition('docker') };
      const { after } = await host.push('acme/js', { files });
      await host.world.tag(repository, tag, after);
      if (tag === 'v1.0.0') await host.world.tag(repository, 'v1', after);
    }
    await host.addRepository({ fullName: 'acme/untagged', files: { 'action.yml': definition('node20') } });
    const names = ['acme/js', 'acme/js/sub/deep', 'acme/js/other', 'acme/nothing', 'acme/untagged'];
    const read = await readDefinitions(client, names);
    expect(read.map(({ action, major, tag }) => [action, major, tag])).toEqual([
      ['acme/js', 1, 'v1'],
      ['acme/js', 2, 'v2'],
      ['acme/js/sub/deep', 1, 'v1.2.0'],
      ['acme/js/sub/deep', 2, 'v2'],
    ]);
    expect(runtimesIn(read)).toEqual([
      { action: 'acme/js', runtimes: { 1: 'node16', 2: 'node24' } },
      { action: 'acme/js/sub/deep', runtimes: { 1: 'docker', 2: 'docker' } },
    ]);
  });

  it('replace only the rows of their actions', () => {
    const kept = { action: 'acme/kept', runtimes: { 1: 'docker' } };
    const read = [{ action: 'acme/js', runtimes: { 1: 'node20' } }];
    expect(mergeByAction([kept, { action: 'acme/js', runtimes: { 1: 'node16' } }], read)).toMatchObject({
      rows: [...read, kept],
      added: [],
      changed: ['acme/js'],
    });
    expect(mergeByAction([kept], read)).toMatchObject({ added: ['acme/js'] });
  });

  it('name the runtime if they are valid', () => {
    expect(runtimeOf('runs: { using: Docker, image: Dockerfile }')).toBe('docker');
    expect(runtimeOf('runs: { using: "a b" }')).toBeUndefined();
    expect(runtimeOf('{{')).toBeUndefined();
    expect(tagsOfMajors(['v1', 'v1.0.0', '1.10.0', 'v1.9.0', 'v2.0.0-rc.1', 'latest', 'v3'])).toEqual([
      { major: 1, tags: ['1.10.0', 'v1'] },
      { major: 3, tags: ['v3'] },
    ]);
  });
});

describe('interfaces', () => {
  it('share one line across releases and list differences', () => {
    const first = definition(
      'node20',
      'inputs:\n  Path: { required: true }\n  key: { required: true, default: x }\n  old: { deprecationMessage: "Use\\n key." }\noutputs:\n  hit: { description: x }\n',
    );
    const last = definition(
      'node24',
      'inputs:\n  path: { required: false }\n  key: {}\noutputs:\n  hit: {}\n  size: {}\n',
    );
    const read = [release('v1.0.0', first), release('v2.1.0', first), release('v3', last)];
    expect(interfacesIn(read)).toEqual([
      {
        action: 'acme/js',
        releases: ['v1.0.0 v2.1.0 | key old~ path! | hit', 'v3 | -old~ -path! +path | +size'],
        deprecated: { old: 'Use key.' },
      },
    ]);
  });

  it('of hostile definitions are skipped or truncated', () => {
    const odd = (inputs: string) => interfacesIn([release('v1', definition('node20', `inputs:\n${inputs}`))]);
    expect(odd('  "a | b": {}\n')).toEqual([]);
    expect(odd('  "x\']; evil()": {}\n')).toEqual([]);
    expect(odd(Array.from({ length: 300 }, (_, index) => `  i${index}: {}\n`).join(''))).toEqual([]);
    expect(interfacesIn([release('v1', '{{'), release('v2', 'name: no action')])).toEqual([]);
    const [row] = odd(`  old: { deprecationMessage: "\\e[31m${'x'.repeat(5_000)}" }\n`);
    expect(row?.deprecated?.['old']).toMatch(/^\[31mx{100,160}…$/);
  });
});
