import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, onlyToken } from '#lib/hosts/code-host/client.ts';
import { octokitFor } from '#lib/hosts/code-host/octokit.ts';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { needsIn, readDocumentation } from './refresh-needs.ts';
import { readDefinitions } from './refresh-releases.ts';

let host: CodeHostForTests;
let client: Client;

beforeAll(async () => {
  host = await startCodeHost();
  const octokit = new (octokitFor(host.apiUrl))();
  client = new Client({ octokit, graphqlUrl: host.graphqlUrl, tokens: onlyToken(host.publicToken) });
});
afterAll(() => host.stop());

const job = (permissions: string, uses = 'Acme/label@v1'): string =>
  `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    permissions: ${permissions}\n    steps:\n      - uses: ${uses}\n`;
const fenced = (text: string): string => `\n\`\`\`yaml\n${text}\`\`\`\n`;
const row = (text: string) =>
  needsIn([{ action: 'acme/label', major: 1, tag: 'v1', text }], []).map(({ releases }) => releases);

describe('documented needs', () => {
  it('are the permissions that every example of a release grants, with their line', async () => {
    const first = `# Label\n${fenced(job('{ contents: read, issues: write, packages: write }'))}`;
    const both = first + fenced(job('{ issues: write, contents: write, pull-requests: write }'));
    const definition =
      'name: x\ndescription: x\ninputs: { token: { default: "${{ github.token }}" } }\nruns: { using: node24, main: x.js }\n';
    const repository = await host.addRepository({ fullName: 'acme/label', files: { 'README.md': 'x' } });
    for (const [tag, text] of [
      ['v1.0.0', first],
      ['v2.0.0', both],
      ['v3.0.0', both],
    ] as const) {
      const { after } = await host.push('acme/label', { files: { 'README.md': text, 'action.yml': definition } });
      await host.world.tag(repository, tag, after);
    }
    const names = ['acme/label', 'acme/nothing'];
    expect(needsIn(await readDocumentation(client, names), await readDefinitions(client, names))).toEqual([
      {
        action: 'acme/label',
        releases: [
          'v1.0.0 | contents:read issues:write packages:write | README.md:3',
          'v2.0.0 v3.0.0 | contents:read issues:write | README.md:3',
        ],
        token: 'token',
      },
    ]);
  });

  it('ignore examples of other actions, write-all, and text that is not a workflow', () => {
    expect(row(fenced(job('{ contents: write }', 'acme/other@v1')))).toEqual([]);
    expect(row(fenced(job('write-all')))).toEqual([]);
    expect(row(fenced('permissions: [\n'))).toEqual([]);
    expect(row(`\n\`\`\`text\n${job('{ issues: write }')}\`\`\`\n`)).toEqual([]);
    expect(row(fenced(job('{ issues: write }')) + fenced(job('{ checks: write }')))).toEqual([]);
  });

  it('are bounded for hostile documentation', () => {
    expect(row(fenced(job(`{ "x | y": write, issues: write }`)))).toEqual([['v1 | issues:write | README.md:2']]);
    expect(row(fenced(`${job('{ issues: write }')}#${'x'.repeat(30_000)}\n`))).toEqual([]);
    const many = fenced('a: b\n').repeat(100) + fenced(job('{ issues: write }'));
    expect(row(many)).toEqual([]);
    expect(row('```yaml\n'.repeat(20_000))).toEqual([]);
  });
});
