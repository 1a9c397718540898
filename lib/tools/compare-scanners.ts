/**
 * What other scanners report on a folder of repositories and we do not, and the other way round:
 * `npm run compare -- [--peer zizmor] [--rule id] [--limit 20] [folder]`. It runs those of zizmor (offline), actionlint,
 * poutine and octoscan that are on the PATH, a repository at a time, and compares by step: two findings agree when the
 * rules look for the same thing (`lib/data/curated/peer-rules.ts`) in the same step, job or file head. Without a folder, the
 * corpus beside the checkout.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findRepositories, readRepository } from '#lib/cli/files.ts';
import { PEER_RULES, type Peer } from '#lib/data/curated/peer-rules.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import { nameOfFolder } from './corpus-folder.ts';

interface Theirs {
  readonly rule: string;
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly severity: string;
}

interface Tally {
  same: number;
  sameFile: number;
  onlyThem: number;
  readonly examples: string[];
}

const CORPUS = '../shared/corpus/unpack';
const READERS: Readonly<Partial<Record<Peer, (root: string) => readonly Theirs[] | undefined>>> = {
  zizmor: runZizmor,
  actionlint: runActionlint,
  poutine: runPoutine,
  octoscan: runOctoscan,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peer: { type: 'string' },
    rule: { type: 'string' },
    limit: { type: 'string', default: '0' },
  },
});
const folder = positionals[0] ?? unpackCorpus();
if (folder === undefined) {
  process.stdout.write('There is no corpus beside the checkout; give a folder of repositories.\n');
  process.exit(0);
}
const work = mkdtempSync(join(tmpdir(), 'chainbreak-compare-'));
try {
  const copy = join(work, 'repositories');
  cpSync(folder, copy, { recursive: true, dereference: true });
  compare(copy);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function compare(copy: string): void {
  const peers = (Object.keys(READERS) as Peer[]).filter(
    (peer) => (values.peer ?? peer) === peer && spawnSync(peer, ['--version']).error === undefined,
  );
  const tallies = new Map<string, Tally>();
  const ours = new Map<string, { all: number; alone: number; examples: string[] }>();
  const refused = new Map<Peer, string[]>();
  const mapped = new Set(peers.flatMap((peer) => PEER_RULES[peer].flatMap(({ rules }) => rules)));
  for (const local of findRepositories(copy)) {
    const repository = createRepository(readRepository(local), nameOfFolder(local.folder));
    const found = scanRepository(repository).findings.flatMap(({ ruleId, severity, file, line, endLine }) =>
      file === null ? [] : [{ ruleId, severity, file, line: line ?? 1, endLine: endLine ?? line ?? 1 }],
    );
    const placesOf = placesIn(repository);
    const mine = found.map((finding) => ({
      ...finding,
      place: placesOf(finding.file, finding.line, finding.endLine),
    }));
    const agreed = new Set<(typeof mine)[number]>();
    asRepository(local.folder);
    for (const peer of peers) {
      const theirs = READERS[peer]?.(local.folder);
      if (theirs === undefined) {
        refused.set(peer, [...(refused.get(peer) ?? []), relative(copy, local.folder)]);
        continue;
      }
      for (const finding of theirs) {
        const rules = PEER_RULES[peer].find(({ id }) => id === finding.rule)?.rules ?? [];
        const inFile = mine.filter(({ ruleId, file }) => rules.includes(ruleId) && file === finding.file);
        const place = placesOf(finding.file, finding.firstLine, finding.lastLine);
        const same = inFile.filter((own) => touch(own.place, place));
        for (const own of inFile) if (touch(own.place, place)) agreed.add(own);
        const name = `${peer} ${finding.rule} ${finding.severity}`;
        const tally = tallies.get(name) ?? { same: 0, sameFile: 0, onlyThem: 0, examples: [] };
        tallies.set(name, tally);
        if (same.length > 0) tally.same += 1;
        else if (inFile.length > 0) tally.sameFile += 1;
        else tally.onlyThem += 1;
        if (same.length === 0 && wanted(finding.rule, rules))
          tally.examples.push(`${relative(copy, local.folder)}/${finding.file}:${finding.firstLine}`);
      }
    }
    for (const own of mine) {
      const entry = ours.get(`${own.ruleId} ${own.severity}`) ?? { all: 0, alone: 0, examples: [] };
      ours.set(`${own.ruleId} ${own.severity}`, entry);
      entry.all += 1;
      if (agreed.has(own)) continue;
      entry.alone += 1;
      if (wanted(own.ruleId, [])) entry.examples.push(`${relative(copy, local.folder)}/${own.file}:${own.line}`);
    }
  }
  print(peers, tallies, ours, refused, mapped);
}

function wanted(theirs: string, ours: readonly string[]): boolean {
  return values.rule === undefined || values.rule === theirs || ours.includes(values.rule);
}

function print(
  peers: readonly Peer[],
  tallies: ReadonlyMap<string, Tally>,
  ours: ReadonlyMap<string, { all: number; alone: number; examples: string[] }>,
  refused: ReadonlyMap<Peer, readonly string[]>,
  mapped: ReadonlySet<string>,
): void {
  const limit = Number(values.limit);
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const examples = (list: readonly string[]) => {
    for (const place of list.slice(0, limit)) write(`    ${place}`);
  };
  if (peers.length === 0) write('None of zizmor, actionlint, poutine and octoscan is on the PATH.');
  for (const [peer, list] of refused) write(`${peer} gave up on ${list.length}: ${list.slice(0, 5).join(', ')}`);
  write(
    `\n${'their rule'.padEnd(58)}${'same step'.padStart(10)}${'same file'.padStart(10)}${'only they'.padStart(10)}`,
  );
  for (const [name, tally] of [...tallies].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!wanted(name.split(' ')[1] ?? '', []) && tally.examples.length === 0) continue;
    const numbers = [tally.same, tally.sameFile, tally.onlyThem].map((count) => String(count).padStart(10)).join('');
    write(`${name.padEnd(58)}${numbers}`);
    examples(tally.examples);
  }
  write(`\n${'our rule'.padEnd(58)}${'all'.padStart(10)}${'only we'.padStart(10)}`);
  for (const [name, { all, alone, examples: places }] of [...ours].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [id = ''] = name.split(' ');
    if (!wanted(id, [])) continue;
    const without = mapped.has(id) ? '' : '   no rule of theirs';
    write(`${name.padEnd(58)}${String(all).padStart(10)}${String(alone).padStart(10)}${without}`);
    examples(places);
  }
}

function placesIn({ workflows, actions }: Repository): (file: string, first: number, last: number) => Set<string> {
  const spans = new Map<string, { readonly name: string; readonly first: number; readonly last: number }[]>();
  for (const definition of [...workflows, ...actions]) {
    const { source } = definition;
    const list = [...stepsOf(definition)].map((step) => ({
      name: `step ${step.span.start}`,
      ...lines(source, step.span),
    }));
    if (definition.kind === 'workflow')
      for (const job of definition.jobs) list.push({ name: `job ${job.id}`, ...lines(source, job.span) });
    spans.set(source.path, list);
  }
  return (file, first, last) => {
    const touched = (spans.get(file) ?? []).filter((span) => span.first <= last && first <= span.last);
    return new Set(touched.length === 0 ? ['file'] : touched.map(({ name }) => name));
  };
}

function lines(
  source: SourceFile,
  span: { readonly start: number; readonly end: number },
): { first: number; last: number } {
  return { first: source.position(span.start).line, last: source.position(Math.max(span.start, span.end - 1)).line };
}

function touch(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const stepsOfBoth = [a, b].every((set) => [...set].some((name) => name.startsWith('step')));
  return [...a].some((name) => b.has(name) && (!stepsOfBoth || name.startsWith('step')));
}

function asRepository(root: string): void {
  if (existsSync(join(root, '.git'))) return;
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', root, '-c', 'user.name=peers', '-c', 'user.email=peers@localhost', ...args]);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'as it is');
}

function run(root: string, program: string, ...args: string[]): string {
  const { stdout } = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function runZizmor(root: string): Theirs[] | undefined {
  interface Place {
    readonly symbolic: { readonly kind: string; readonly key: { readonly Local?: { readonly verbatim_path: string } } };
    readonly concrete: {
      readonly location: Readonly<Record<'start_point' | 'end_point', { readonly row: number }>>;
    };
  }
  type Output = readonly {
    readonly ident: string;
    readonly determinations: { readonly severity: string };
    readonly locations: readonly Place[];
  }[];
  const output = parse(run(root, 'zizmor', '--offline', '--no-progress', '--format', 'json', '.')) as
    | Output
    | undefined;
  return output?.map(({ ident, determinations, locations }) => {
    const place = locations.find(({ symbolic }) => symbolic.kind === 'Primary') ?? locations[0];
    return {
      rule: ident,
      severity: determinations.severity,
      file: (place?.symbolic.key.Local?.verbatim_path ?? '').replace(/^\.\//, ''),
      firstLine: (place?.concrete.location.start_point.row ?? 0) + 1,
      lastLine: (place?.concrete.location.end_point.row ?? 0) + 1,
    };
  });
}

function runActionlint(root: string): Theirs[] | undefined {
  type Output = readonly { readonly kind: string; readonly filepath: string; readonly line: number }[];
  const text = run(root, 'actionlint', '-shellcheck=', '-pyflakes=', '-format', '{{json .}}');
  if (text.trim() === '') return [];
  return (parse(text) as Output | undefined)?.map(({ kind, filepath, line }) => {
    return { rule: kind, severity: '', file: filepath, firstLine: line, lastLine: line };
  });
}

function runPoutine(root: string): Theirs[] | undefined {
  interface Output {
    readonly findings: readonly {
      readonly rule_id: string;
      readonly meta: { readonly path: string; readonly line?: number };
    }[];
    readonly rules: Readonly<Record<string, { readonly level: string }>>;
  }
  const output = parse(run(root, 'poutine', 'analyze_local', '.', '--format', 'json', '--quiet')) as Output | undefined;
  return output?.findings.map(({ rule_id: rule, meta }) => {
    const line = meta.line ?? 1;
    return { rule, severity: output.rules[rule]?.level ?? '', file: meta.path, firstLine: line, lastLine: line };
  });
}

function runOctoscan(root: string): Theirs[] | undefined {
  type Output = readonly { readonly kind: string; readonly filepath: string; readonly line: number }[];
  const text = run(root, 'octoscan', 'scan', '--format', 'json', '.');
  if (text.trim() === '') return [];
  return (parse(text) as Output | undefined)?.map(({ kind, filepath, line }) => {
    return { rule: kind, severity: '', file: filepath, firstLine: line, lastLine: line };
  });
}

function unpackCorpus(): string | undefined {
  if (!existsSync(CORPUS)) return undefined;
  return execFileSync(CORPUS, ['.corpus'], { encoding: 'utf8' }).trim();
}
