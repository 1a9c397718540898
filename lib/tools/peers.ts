import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PEER_RULES } from '#lib/data/curated/peer-rules.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { asRepository, placesIn, runLinter, runZizmor, type Theirs, touch } from './peer-scanners.ts';

interface Fixtures {
  readonly name: 'zizmor' | 'gha-hazmat' | 'sisakulint';
  readonly program: string;
  readonly below: string;
  readonly run: (root: string) => Theirs[] | undefined;
  readonly expects: (path: string, finding: Theirs) => boolean;
}

/** Rules of sisakulint for each checkout, trigger, action and missing file, which whole repositories show better. */
const EVERYWHERE =
  /^(?:commit-sha|permissions|timeout-minutes|deprecated-runtime|node-runtime|dependabot-\S+|untrusted-checkout|dangerous-triggers-\S+|syntax-check|workflow-call|runner-label|action|id|job-needs)$/;

const AUDIT = (path: string): string => (path.split('/')[0] ?? '').replace(/\.ya?ml$/, '').replaceAll('_', '-');

const zizmor = (root: string): Theirs[] | undefined => runZizmor(root, '--persona', 'auditor');

const ALL: readonly Fixtures[] = [
  {
    name: 'zizmor',
    program: 'zizmor',
    below: 'crates/zizmor/tests/integration/test-data',
    run: zizmor,
    expects: (path, { rule }) => rule === AUDIT(path),
  },
  {
    name: 'gha-hazmat',
    program: 'zizmor',
    below: '.github/workflows',
    run: zizmor,
    expects: (path, { rule }) => rule === AUDIT(path),
  },
  {
    name: 'sisakulint',
    program: 'sisakulint',
    below: 'script/actions',
    run: (root) => runLinter(root, 'sisakulint'),
    expects: (path, { rule }) => !/safe/.test(basename(path)) && !EVERYWHERE.test(rule),
  },
];

const { values } = parseArgs({
  options: {
    zizmor: { type: 'string' },
    'gha-hazmat': { type: 'string' },
    sisakulint: { type: 'string' },
    show: { type: 'string', default: '0' },
  },
});
const write = (line: string): void => void process.stdout.write(`${line}\n`);

write(
  `${'fixtures of'.padEnd(16)}${['files', 'expected', 'same step', 'same file', 'not'].map((head) => head.padStart(10)).join('')}`,
);
for (const fixtures of ALL) compare(fixtures);

function compare(fixtures: Fixtures): void {
  const { name, program } = fixtures;
  const given = values[name];
  const folder = given === undefined ? undefined : join(given, fixtures.below);
  if (folder === undefined || !existsSync(folder)) {
    write(`${name.padEnd(16)}${given === undefined ? `no folder given (--${name})` : `no ${fixtures.below} in it`}`);
    return;
  }
  if (spawnSync(program, ['--version']).error !== undefined) {
    write(`${name.padEnd(16)}${program} is not on the PATH`);
    return;
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.ya?ml$/.test(path));
  const counts = { same: 0, sameFile: 0, not: 0 };
  const missing: string[] = [];
  for (const path of files.sort()) {
    for (const { rule, line, found } of judge(fixtures, folder, path)) {
      counts[found] += 1;
      if (found === 'not') missing.push(`${path}:${line} ${rule}`);
    }
  }
  const cells = [files.length, counts.same + counts.sameFile + counts.not, counts.same, counts.sameFile, counts.not];
  write(name.padEnd(16) + cells.map((cell) => String(cell).padStart(10)).join(''));
  for (const line of missing.slice(0, Number(values.show))) write(`    ${line}`);
}

function judge(
  { name, run, expects }: Fixtures,
  folder: string,
  path: string,
): { rule: string; line: number; found: 'same' | 'sameFile' | 'not' }[] {
  const text = readFileSync(join(folder, path), 'utf8');
  const place = /(?:^|\/)dependabot[^/]*$/.test(path)
    ? '.github/dependabot.yml'
    : /^runs:/m.test(text) && !/^jobs:/m.test(text)
      ? 'action.yml'
      : `.github/workflows/${basename(path)}`;
  const root = mkdtempSync(join(tmpdir(), 'chainbreak-peers-'));
  try {
    mkdirSync(dirname(join(root, place)), { recursive: true });
    mkdirSync(join(root, '.github'), { recursive: true });
    writeFileSync(join(root, place), text);
    asRepository(root);
    const theirs = (run(root) ?? []).filter((finding) => expects(path, finding));
    if (theirs.length === 0) return [];
    const repository = createRepository([{ path: place, text }]);
    const placesOf = placesIn(repository);
    const ours = scanRepository(repository).findings.filter(({ file }) => file === place);
    return theirs.map(({ rule, firstLine, lastLine }) => {
      const rules = name === 'sisakulint' ? undefined : (PEER_RULES.zizmor.find(({ id }) => id === rule)?.rules ?? []);
      const same = ours.filter(({ ruleId }) => rules?.includes(ruleId) ?? true);
      const at = placesOf(place, firstLine, lastLine);
      const touches = same.some(({ line, endLine }) => touch(placesOf(place, line ?? 1, endLine ?? line ?? 1), at));
      return { rule, line: firstLine, found: touches ? 'same' : same.length > 0 ? 'sameFile' : 'not' };
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
