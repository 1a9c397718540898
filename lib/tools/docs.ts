import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { COMBO_SEVERITIES } from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import { PEER_RULES, PEERS, type Peer } from '#lib/data/curated/peer-rules.ts';
import { ScanReport } from '#lib/report/json-shape.ts';
import { HOMEPAGE } from '#lib/report/links.ts';
import { configSchema as repositoryConfig } from '#lib/scanner/engine/config.ts';
import { severityRank } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { terminalPicture } from './picture.ts';

const check = process.argv.includes('--check');
const stale: string[] = [];

function emit(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  if (check) stale.push(file);
  else writeFileSync(file, text);
}

function rulesTable(): string {
  const rows = [...rules]
    .sort((a, b) => severityRank(a.meta.severity) - severityRank(b.meta.severity) || (a.id < b.id ? -1 : 1))
    .map(({ id, meta }) => {
      const needs = meta.needs === undefined ? '' : ` (needs ${meta.needs.join(', ')})`;
      return `| \`${id}\` | ${meta.severity} | ${meta.category} | ${meta.title}${needs} |`;
    });
  return [
    '# Rules',
    '',
    `${rules.length} rules. \`chainbreak explain <rule>\` explains one: examples, exploitation, fix and limitations.`,
    '',
    '| rule | severity | category | what it finds |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function pathsPage(): string {
  const sections = COMBO_SEVERITIES.flatMap((severity) => combos.filter((combo) => combo.severity === severity)).map(
    ({ id, title, severity, stages, impact, breakChain, slots, modifiers = [], references }) => {
      const rules = slots[breakChain.slot]?.any.flatMap((source) => ('rule' in source ? [`\`${source.rule}\``] : []));
      const broken = rules === undefined ? undefined : [...new Set(rules)];
      return [
        `## ${title}`,
        '',
        `\`${id}\` · ${severity}`,
        '',
        ...stages.map((stage, index) => `${index + 1}. **${stage.title}.** ${stage.description}`),
        '',
        `**Impact.** ${impact}`,
        '',
        `**How to break it.** ${breakChain.text} (${broken?.join(', ') ?? ''})`,
        '',
        ...(modifiers.length === 0
          ? []
          : ['**Less severe if**', '', ...modifiers.map(({ because }) => `- ${because}`), '']),
        ...references.map((reference) => `- <${reference}>`),
        '',
      ].join('\n');
    },
  );
  return [
    '# Attack paths',
    '',
    `${combos.length} ways in which weaknesses combine into a compromise. \`chainbreak paths\` draws the attack paths of a repository, with what breaks them.`,
    '',
    'An attack path needs evidence in one job, file or repository, or in two jobs that pass something on. Facts such as a secret that is read or a package that is published count even if a rule is disabled. Reports state what could not be checked.',
    '',
    ...sections,
  ].join('\n');
}

function reportSchema(): string {
  const schema = z.toJSONSchema(ScanReport, { target: 'draft-7' });
  const described = { ...schema, $id: `${HOMEPAGE}/schema/scan-report-0.json`, title: 'chainbreak scan --format json' };
  return `${JSON.stringify(described, null, 2)}\n`;
}

function configSchema(): string {
  const schema = z.toJSONSchema(repositoryConfig(), { target: 'draft-7' });
  const described = { ...schema, title: 'Chainbreak configuration: .github/chainbreak.yml' };
  return `${JSON.stringify(described, null, 2)}\n`;
}

function peerTable(peer: Peer): string {
  const rows = PEER_RULES[peer].map(({ id, rules: ours, note }) => {
    const names = ours.map((rule) => `\`${rule}\``).join(', ');
    return `| \`${id}\` | ${names === '' ? '–' : names} | ${note ?? ''} |`;
  });
  return ['', '| theirs | ours | note |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function inserted(file: string, name: string, content: string): string {
  const text = readFileSync(file, 'utf8');
  const start = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${file} lacks the marks for ${name}`);
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
}

const help = execFileSync(process.execPath, ['dist/cli.mjs', 'scan', '--help'], { encoding: 'utf8' }).trimEnd();
emit('docs/rules.md', rulesTable());
emit('docs/paths.md', pathsPage());
emit('docs/chainbreak.schema.json', configSchema());
emit('docs/scan-report.schema.json', reportSchema());
emit('docs/scan.svg', terminalPicture());
for (const peer of PEERS) emit('docs/migrate.md', inserted('docs/migrate.md', `${peer} rules`, peerTable(peer)));
emit('README.md', inserted('README.md', 'scan help', `\`\`\`text\n${help}\n\`\`\``));

if (stale.length > 0) {
  process.stderr.write(`Stale: ${stale.join(', ')}. Run npm run docs:write.\n`);
  process.exitCode = 1;
}
