import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const WORKFLOW = `# Replies.
on: issue_comment
permissions: {}

jobs:
  reply:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    if: contains('a b', github.event.comment.body)
    steps:
      - run: echo "\${{ github.event.comment.body }}"  # here
`;
const FIXED = WORKFLOW.replace(
  '- run: echo "${{ github.event.comment.body }}"',
  ['- env:', '          COMMENT_BODY: ${{ github.event.comment.body }}', '        run: echo "${COMMENT_BODY}"'].join(
    '\n',
  ),
);

describe('chainbreak fix', () => {
  it('edits in place and prints the diff', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { code, stdout, stderr } = await runCli(['fix', folder]);
    expect(readFileSync(join(folder, CI), 'utf8')).toBe(FIXED);
    expect(stdout).toContain('+        run: echo "${COMMENT_BODY}"  # here\n');
    expect(stderr).toMatch(/^1 file: fixed 1 finding\. Remaining: /);
    expect(code).toBe(0);
    expect((await runCli(['fix', folder])).stdout).toBe('');
  });

  it('prints a diff for patch, and writes nothing with --dry-run', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { code, stdout } = await runCli(['fix', folder, '--dry-run']);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, CI), 'utf8')).toBe(WORKFLOW);
    expect(stdout).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@ template-injection$/m);
    execFileSync('patch', ['-p1'], { cwd: folder, input: stdout });
    expect(readFileSync(join(folder, CI), 'utf8')).toBe(FIXED);
  });

  it('has the documented JSON', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { files } = JSON.parse((await runCli(['fix', folder, '--format', 'json', '--dry-run'])).stdout);
    expect(files).toEqual([
      {
        root: '.',
        file: CI,
        changed: true,
        edits: [
          {
            rule_id: 'template-injection',
            category: 'CICD-SEC-4',
            line: 11,
            description: expect.stringContaining('github.event.comment.body'),
          },
        ],
        refused: expect.arrayContaining([
          { rule_id: 'unsound-contains', line: 9, reason: expect.stringContaining('only on request') },
        ]),
      },
    ]);
  });

  it('reports set-up steps before merging, in JSON and text', async () => {
    const publish =
      'on: release\npermissions: {}\njobs:\n  ship:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: npm publish\n        env: { NPM_TOKEN: "${{ secrets.NPM }}" }\n';
    const folder = temporaryFolder({ [CI]: publish });
    const flags = ['fix', folder, '--dry-run', '--unsafe', '--categories', 'CICD-SEC-6'];
    const note = /Create the environment `release` .* with required reviewers/;
    expect((await runCli(flags)).stderr).toMatch(new RegExp(`^${CI}: ${note.source}`, 'm'));
    const { files } = JSON.parse((await runCli([...flags, '--format', 'json'])).stdout);
    const descriptions = files[0].edits.map(({ description }: { description: string }) => description);
    expect(descriptions).toContainEqual(expect.stringMatching(new RegExp(`without an environment: .*${note.source}`)));
  });

  it('respects categories and safety', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    await runCli(['fix', folder, '--categories', 'cicd-sec-3,CICD-SEC-5']);
    expect(readFileSync(join(folder, CI), 'utf8')).toBe(WORKFLOW);
    await runCli(['fix', folder, '--unsafe', '--categories', 'CICD-SEC-1']);
    expect(readFileSync(join(folder, CI), 'utf8')).toContain('fromJSON');
  });

  it('fixes one file, and keeps its mode', async () => {
    const folder = temporaryFolder({ 'ci.yml': WORKFLOW });
    const file = join(folder, 'ci.yml');
    const { mode } = statSync(file);
    expect((await runCli(['fix', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(FIXED);
    expect(statSync(file).mode).toBe(mode);
  });

  it('writes nothing through a linked folder or file of a repository', async () => {
    const folder = temporaryFolder({
      [`here/${CI}`]: 'on: push\njobs: {}\n',
      'victim/ci.yml': WORKFLOW,
      [`victim/${CI}`]: WORKFLOW,
    });
    const here = join(folder, 'here');
    symlinkSync(join(folder, 'victim'), join(here, 'linked'));
    symlinkSync(join(folder, 'victim/ci.yml'), join(here, '.github/workflows/linked.yml'));
    for (const path of ['linked', 'linked/ci.yml', `linked/${CI}`]) {
      const { code, stderr, stdout } = await runCli(['fix', join(here, path)]);
      expect([code, stderr, stdout]).toEqual([2, expect.stringContaining('through the symbolic link'), '']);
    }
    for (const path of ['.', '.github/workflows/linked.yml']) await runCli(['fix', join(here, path)]);
    for (const path of ['ci.yml', CI]) expect(readFileSync(join(folder, 'victim', path), 'utf8')).toBe(WORKFLOW);
  });

  it.each([
    ['1 when something serious is left', { [CI]: WORKFLOW.replace('run: echo', 'run: eval echo') }, [], 1],
    ['0 with --fail-on never', { [CI]: WORKFLOW.replace('run: echo', 'run: eval echo') }, ['--fail-on', 'never'], 0],
    ['2 for an unknown category', { [CI]: WORKFLOW }, ['--categories', 'CICD-SEC-11'], 2],
    ['3 without anything to fix', { 'a.txt': '' }, [], 3],
    ['3 when nothing could be understood', { [CI]: '[' }, [], 3],
  ])('exits with %s', async (_, files, flags, code) => {
    expect((await runCli(['fix', temporaryFolder(files), ...flags])).code).toBe(code);
  });
});
