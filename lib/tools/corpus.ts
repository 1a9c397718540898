import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findRepositories, readRepository } from '#lib/cli/files.ts';
import { COMBO_SEVERITIES } from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import { collectEvidence } from '#lib/combos/evidence.ts';
import { type AttackPath, findPaths, foldPaths } from '#lib/combos/match.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { countBySeverity, type Finding, SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { halfOf, nameOfFolder } from './corpus-folder.ts';

const CORPUS = '../shared/corpus/unpack';
const MANIFEST = '../shared/corpus/manifest.json';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rule: { type: 'string' },
    severity: { type: 'string' },
    limit: { type: 'string', default: '1000' },
    diagnostics: { type: 'boolean', default: false },
    paths: { type: 'boolean', default: false },
    combo: { type: 'string' },
    half: { type: 'string' },
    pedantic: { type: 'boolean', default: false },
  },
});
const folder = positionals[0] ?? unpackCorpus();
if (folder === undefined) {
  process.stdout.write('There is no corpus beside the checkout; give a folder of repositories.\n');
  process.exit(0);
}

const commits = readCommits();
const found: { root: string; finding: Finding }[] = [];
const perRepository: Record<Severity, number>[] = [];
const paths: { root: string; path: AttackPath; findings: readonly Finding[] }[] = [];
const repositories: string[] = [];
let files = 0;
let diagnostics = 0;
let errors = 0;
const chosen = values.rule === undefined ? rules : rules.filter(({ id }) => id === values.rule);
for (const local of findRepositories(folder)) {
  const name = nameOfFolder(local.folder);
  if (values.half !== undefined && halfOf(name ?? local.root) !== values.half) continue;
  const repository = createRepository(readRepository(local), name);
  const result = scanRepository(repository, { rules: chosen });
  files += result.files;
  for (const diagnostic of result.diagnostics) {
    diagnostics += 1;
    if (diagnostic.severity === 'error') errors += 1;
    if (values.diagnostics) {
      const { file, line, severity, message } = diagnostic;
      process.stdout.write(`${severity} ${local.root}/${file}:${line ?? ''} ${message}\n`);
    }
  }
  const findings = result.findings.filter(({ pedantic }) => values.pedantic || pedantic !== true);
  for (const finding of findings) found.push({ root: local.root, finding });
  perRepository.push(countBySeverity(findings));
  repositories.push(local.root);
  if (values.paths) {
    const evidence = collectEvidence(repository, result.findings, NO_FACTS);
    for (const path of foldPaths(findPaths(evidence)))
      paths.push({ root: local.root, path, findings: result.findings });
  }
}

if (values.paths) {
  showPaths();
} else if (values.rule !== undefined || values.severity !== undefined) {
  const wanted = found.filter(
    ({ finding }) =>
      (values.rule === undefined || finding.ruleId === values.rule) &&
      (values.severity === undefined || finding.severity === values.severity.toUpperCase()),
  );
  process.stdout.write(`${wanted.length} findings\n`);
  for (const { root, finding } of wanted.slice(0, Number(values.limit))) {
    process.stdout.write(
      `\n${finding.severity}/${finding.confidence} ${finding.ruleId} ${placeOf(root, finding)}\n  ${finding.description}\n  | ${(finding.snippet ?? '').split('\n').slice(0, 4).join('\n  | ')}\n`,
    );
  }
} else {
  const total = countBySeverity(found.map(({ finding }) => finding));
  process.stdout.write(`${files} files, ${diagnostics} diagnostics (${errors} errors)\n\n`);
  process.stdout.write(`${'rule'.padEnd(36)}${SEVERITIES.map((severity) => severity.padStart(8)).join('')}\n`);
  for (const rule of rules) {
    const counts = countBySeverity(found.flatMap(({ finding }) => (finding.ruleId === rule.id ? [finding] : [])));
    process.stdout.write(
      `${rule.id.padEnd(36)}${SEVERITIES.map((severity) => String(counts[severity]).padStart(8)).join('')}\n`,
    );
  }
  process.stdout.write(
    `${'all'.padEnd(36)}${SEVERITIES.map((severity) => String(total[severity]).padStart(8)).join('')}\n`,
  );
  for (const [name, share] of [
    ['median of a repository', 0.5],
    ['90th percentile', 0.9],
  ] as const) {
    const counts = SEVERITIES.map((severity) =>
      quantile(
        perRepository.map((count) => count[severity]),
        share,
      ),
    );
    process.stdout.write(`${name.padEnd(36)}${counts.map((count) => String(count).padStart(8)).join('')}\n`);
  }
}

function showPaths(): void {
  if (values.combo === undefined && values.severity === undefined) {
    for (const { id } of combos) {
      const own = paths.filter(({ path }) => path.comboId === id);
      const cells = COMBO_SEVERITIES.map((severity) => own.filter(({ path }) => path.severity === severity).length);
      const roots = new Set(own.map(({ root }) => root)).size;
      process.stdout.write(`${id.padEnd(44)}${[...cells, roots].map((count) => String(count).padStart(9)).join('')}\n`);
    }
    for (const severity of COMBO_SEVERITIES) {
      const own = paths.filter(({ path }) => path.severity === severity);
      const counts = repositories.map((root) => own.filter((each) => each.root === root).length);
      const some = counts.filter((count) => count > 0).length;
      process.stdout.write(
        `${severity}: ${own.length} in ${some} of ${counts.length}; median ${quantile(counts, 0.5)}, 90th percentile ${quantile(counts, 0.9)}\n`,
      );
    }
    return;
  }
  const wanted = paths.filter(
    ({ path }) =>
      (values.combo === undefined || path.comboId === values.combo) &&
      (values.severity === undefined || path.severity === values.severity.toUpperCase()),
  );
  process.stdout.write(`${wanted.length} paths\n`);
  for (const { root, path, findings } of wanted.slice(0, Number(values.limit))) {
    process.stdout.write(`\n${path.severity} ${path.comboId} ${root} ${path.file ?? ''} ${path.job ?? ''}\n`);
    for (const reason of path.mitigatedBy) process.stdout.write(`  ~ ${reason}\n`);
    for (const { ruleId, fingerprint } of path.components.slice(0, 8)) {
      const finding = findings.find((each) => each.fingerprint === fingerprint);
      if (finding !== undefined) {
        process.stdout.write(`  ${finding.severity} ${ruleId} ${placeOf(root, finding)}\n    ${finding.description}\n`);
      }
    }
    for (const { name, file, job, attributes } of path.facts.slice(0, 6)) {
      process.stdout.write(`  . ${name} ${file ?? ''} ${job ?? ''} ${JSON.stringify(attributes).slice(0, 150)}\n`);
    }
  }
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}

function placeOf(root: string, { file, line }: Finding): string {
  const known = commits.get(root.split('/').at(-1) ?? '');
  if (known === undefined) return `${root}/${file}:${line}`;
  return `https://github.com/${known.repo}/blob/${known.commit}/${file}#L${line}`;
}

function readCommits(): ReadonlyMap<string, { readonly repo: string; readonly commit: string }> {
  if (positionals[0] !== undefined || !existsSync(MANIFEST)) return new Map();
  const entries = JSON.parse(readFileSync(MANIFEST, 'utf8')) as readonly { repo: string; commit: string }[];
  return new Map(entries.map((entry) => [entry.repo.replace('/', '__'), entry]));
}

function unpackCorpus(): string | undefined {
  if (!existsSync(CORPUS)) return undefined;
  return execFileSync(CORPUS, ['.corpus'], { encoding: 'utf8' }).trim();
}
