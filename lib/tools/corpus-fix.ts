import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findRepositories, readRepository } from '#lib/cli/files.ts';
import { hardenFile, hardenRepository } from '#lib/hardener/harden.ts';
import { type HardenedFile, type HardenOptions, REVERTED } from '#lib/hardener/hardening.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { applyEdits } from '#lib/workflow/edits/edit.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { commentsOf } from '#lib/workflow/yaml/parse.ts';
import { nameOfFolder } from './corpus-folder.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    review: { type: 'boolean', default: false },
    rule: { type: 'string' },
    limit: { type: 'string', default: '20' },
  },
});
const folder = positionals[0] ?? '.corpus';

const applied = new Map<string, number>();
const fixable = new Map<string, number>();
const gone = new Map<string, number>();
const reasons = new Map<string, number>();
const fresh = new Map<string, number>();
const broken: string[] = [];
const linter = findLinter();
let files = 0;
let changed = 0;
let edits = 0;
let shown = 0;
let linted = 0;
const started = performance.now();

for (const local of findRepositories(folder)) {
  const inputs = readRepository(local);
  const repository = createRepository(inputs, nameOfFolder(local.folder));
  const found = scanRepository(repository).findings;
  const options = { includeReview: values.review };
  for (const result of hardenRepository(repository, options)) {
    files += 1;
    const place = `${local.root}/${result.path}`;
    const before = found.filter(({ file }) => file === result.path);
    check(place, result, before, options);
    if (result.after === result.before) continue;
    changed += 1;
    edits += result.applied.length;
    for (const { ruleId } of result.applied) count(applied, ruleId);
    if (values.rule !== undefined && result.applied.some(({ ruleId }) => ruleId === values.rule)) show(place, result);
  }
}

process.stdout.write(
  `${files} files, ${changed} changed by ${edits} fixes in ${Math.round(performance.now() - started)} ms\n`,
);
table('fixes by rule', applied);
table('refused by reason', reasons);
table('new findings by rule and file', fresh);
process.stdout.write('\nfixable findings that are gone\n');
for (const [rule, total] of [...fixable].sort(([a], [b]) => (a < b ? -1 : 1))) {
  process.stdout.write(`  ${rule.padEnd(36)}${`${gone.get(rule) ?? 0} of ${total}`.padStart(16)}\n`);
}
process.stdout.write(
  `  all: ${sum(gone)} of ${sum(fixable)} (${((100 * sum(gone)) / Math.max(1, sum(fixable))).toFixed(1)} %)\n`,
);
process.stdout.write(
  `${linter === undefined ? 'actionlint is not installed' : `actionlint read ${linted} changed files`}\n`,
);
process.stdout.write(`\n${broken.length} broken promises\n`);
for (const line of broken.slice(0, 100)) process.stdout.write(`  ${line}\n`);
process.exitCode = broken.length === 0 ? 0 : 1;

function check(place: string, result: HardenedFile, before: readonly Finding[], options: HardenOptions): void {
  const { path, after, hunks, repository } = result;
  const promise = (kept: boolean, what: string): void => {
    if (!kept) broken.push(`${place}: ${what}`);
  };
  const wanted = before.filter(({ fix }) => fix !== undefined && (values.review || fix.safety === 'safe'));
  for (const { ruleId } of wanted) count(fixable, ruleId);
  const now = result.remaining;
  for (const ruleId of new Set([...before, ...now].map((finding) => finding.ruleId))) {
    const [had, has] = [before, now].map((list) => list.filter((finding) => finding.ruleId === ruleId).length) as [
      number,
      number,
    ];
    const fixed = wanted.filter((finding) => finding.ruleId === ruleId).length;
    if (fixed > 0) gone.set(ruleId, (gone.get(ruleId) ?? 0) + Math.max(0, Math.min(fixed, had - has)));
    if (has > had) fresh.set(`${ruleId} in ${place}`, has - had);
  }
  for (const { reason, ruleId } of result.refused) {
    if (reason.startsWith(REVERTED)) count(reasons, `${ruleId}: ${reason}`);
  }
  if (after === result.before) {
    promise(result.diff === '' && hunks.length === 0, 'hunks without a change');
    return;
  }
  const again = hardenFile(repository, path, options);
  promise(again.after === after, 'a second run changes it again');
  promise(rebuild(result) === after, 'the hunks do not lead to the new text');
  const missing = commentsOf(result.before).length - commentsOf(after).length;
  promise(missing <= 0, 'comments are lost');
  if (linter !== undefined && path.startsWith('.github/workflows/')) {
    linted += 1;
    const had = lint(result.before);
    promise(
      lint(after).every((line) => had.includes(line)),
      `actionlint: ${lint(after).find((line) => !had.includes(line))}`,
    );
  }
}

function rebuild({ before, after, hunks }: HardenedFile): string {
  const old = before.split(/(?<=\n)/);
  const lines = after.split(/(?<=\n)/);
  const offset = (line: number): number => old.slice(0, line).reduce((length, text) => length + text.length, 0);
  return applyEdits(
    before,
    hunks.map(({ oldStart, oldLines, newStart, newLines }) => {
      const first = oldLines === 0 ? oldStart : oldStart - 1;
      const text = newLines === 0 ? '' : lines.slice(newStart - 1, newStart - 1 + newLines).join('');
      return { span: { start: offset(first), end: offset(first + oldLines) }, text };
    }),
  );
}

function findLinter(): string | undefined {
  try {
    execFileSync('actionlint', ['-version'], { stdio: 'ignore' });
    return mkdtempSync(join(tmpdir(), 'corpus-fix-'));
  } catch {
    return undefined;
  }
}

function lint(text: string): string[] {
  const file = join(linter ?? '', 'workflow.yml');
  writeFileSync(file, text);
  try {
    execFileSync('actionlint', ['-no-color', '-oneline', '-shellcheck=', '-pyflakes=', file], { encoding: 'utf8' });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    // actionlint knows neither `$/` nor `cache-mode` yet.
    const known = stdout
      .split('\n')
      .filter((line) => line !== '' && !/specifying action "\$\/|"cache-mode"/.test(line));
    return known.map((line) => line.replace(/^.*?:\d+:\d+: /, '').replace(/line:\d+,col:\d+/g, ''));
  }
}

function show(place: string, { diff }: HardenedFile): void {
  if (shown >= Number(values.limit)) return;
  shown += 1;
  process.stdout.write(`\n${place}\n${diff}`);
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function sum(map: Map<string, number>): number {
  return [...map.values()].reduce((total, value) => total + value, 0);
}

function table(title: string, map: ReadonlyMap<string, number>): void {
  process.stdout.write(`\n${title}\n`);
  for (const [key, value] of [...map].sort((a, b) => b[1] - a[1])) {
    process.stdout.write(`${String(value).padStart(8)}  ${key}\n`);
  }
}

if (linter !== undefined) rmSync(linter, { recursive: true, force: true });
