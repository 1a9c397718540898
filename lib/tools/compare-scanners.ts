import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findRepositories, readRepository } from '#lib/cli/files.ts';
import { PEER_RULES, type Peer } from '#lib/data/curated/peer-rules.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { nameOfFolder } from './corpus-folder.ts';
import { asRepository, placesIn, READERS, touch } from './peer-scanners.ts';

interface Tally {
  same: number;
  sameFile: number;
  onlyThem: number;
  readonly examples: string[];
}

const CORPUS = '../shared/corpus/unpack';
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

function unpackCorpus(): string | undefined {
  if (!existsSync(CORPUS)) return undefined;
  return execFileSync(CORPUS, ['.corpus'], { encoding: 'utf8' }).trim();
}
