import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const JOB = `on: issue_comment
permissions: {}
jobs:
  reply:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.comment.body }}"
`;
const [ONE, OTHER] = ['.github/workflows/one-nightly.yml', '.github/workflows/two.yml'];

interface Json {
  readonly findings: readonly { rule_id: string; severity: string; file: string }[];
  readonly suppressed: readonly unknown[];
  readonly diagnostics: readonly { file: string; line: number | null; message: string }[];
}

async function scan(config: string, flags: readonly string[] = [], workflow = JOB): Promise<Json> {
  const folder = temporaryFolder({ [ONE]: workflow, [OTHER]: workflow, '.github/chainbreak.yml': config });
  const { stdout } = await runCli(['scan', folder, '--format', 'json', '--fail-on', 'never', ...flags]);
  return JSON.parse(stdout) as Json;
}

const severities = ({ findings }: Json): string[] =>
  findings.flatMap(({ rule_id, severity }) => (rule_id === 'template-injection' ? [severity] : []));

describe('severities of the configuration', () => {
  const config =
    'severities:\n  - { rule: template-injection, path: ".github/workflows/*-nightly.yml", severity: low }\n';

  it('apply to the files of a pattern, and not to others', async () => {
    expect(severities(await scan(config))).toEqual(['LOW', 'HIGH']);
    expect(severities(await scan(config.replace('*-nightly.yml', 'none-*.yml')))).toEqual(['HIGH', 'HIGH']);
  });

  it('do not apply with --no-suppressions or --config none', async () => {
    expect(severities(await scan(config, ['--no-suppressions']))).toEqual(['HIGH', 'HIGH']);
    expect(severities(await scan(config, ['--config', 'none']))).toEqual(['HIGH', 'HIGH']);
  });

  it('are refused with any error in the file, so that a typo lowers nothing', async () => {
    const report = await scan(config.replace('severity: low', 'severity: none'));
    expect(severities(report)).toEqual(['HIGH', 'HIGH']);
    expect(report.diagnostics).toMatchObject([{ file: '.github/chainbreak.yml', line: 2 }]);
  });
});

it('an entry of ignore takes a pattern', async () => {
  const config = 'ignore:\n  - { rule: template-injection, path: "**/*-nightly.yml", reason: x }\n';
  const report = await scan(config);
  expect(severities(report)).toEqual(['HIGH']);
  expect(report.suppressed).toHaveLength(1);
});

describe('a suppression without a finding', () => {
  const comment = '# chainbreak: ignore[unpinned-uses] for later\n';

  it('is reported, as a comment and as an entry', async () => {
    const config = 'ignore:\n  - { rule: artipacked, reason: x }\n  - { rule: template-injection, reason: y }\n';
    const { diagnostics } = await scan(config, [], comment + JOB);
    expect(diagnostics).toMatchObject([
      { file: ONE, line: 1, message: expect.stringContaining('"unpinned-uses"') },
      { file: OTHER, line: 1 },
      { file: '.github/chainbreak.yml', line: 2, message: expect.stringContaining('"artipacked"') },
    ]);
  });

  it('is not reported of a rule that did not run or was not assessed, nor of the comments of zizmor', async () => {
    const config = 'ignore:\n  - { rule: impostor-commit, reason: needs GitHub }\n';
    expect((await scan(config, ['--ignore', 'unpinned-uses'], comment + JOB)).diagnostics).toEqual([]);
    expect((await scan(config, [], comment.replace('chainbreak', 'zizmor') + JOB)).diagnostics).toEqual([]);
  });
});

it('entries of a baseline without a finding are counted, for a scan of everything', async () => {
  const folder = temporaryFolder({ [ONE]: JOB, [OTHER]: JOB });
  const baseline = join(folder, 'baseline.json');
  const compare = async (path: string, ...flags: readonly string[]): Promise<string> =>
    (await runCli(['scan', path, '--baseline', baseline, ...flags])).stdout;
  await runCli(['scan', folder, '--write-baseline', '--baseline', baseline]);
  expect(await compare(folder)).not.toContain('of the baseline');
  writeFileSync(join(folder, OTHER), JOB.replace('${{ github.event.comment.body }}', 'hello'));
  expect(await compare(folder)).toMatch(
    /entr(?:y|ies) of the baseline ha(?:s|ve) no finding any more: .*template-injection/,
  );
  expect(await compare(folder, '--select', 'artipacked')).not.toContain('of the baseline');
  expect(await compare(join(folder, ONE))).not.toContain('of the baseline');
});
