import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { remoteOptions } from '#lib/cli/remote.ts';
import { ACTION_NEEDS } from '#lib/data/curated/action-needs.ts';
import { COMPROMISED_REFS } from '#lib/data/curated/compromised-refs.ts';
import { POPULAR_ACTIONS } from '#lib/data/curated/popular-actions.ts';
import { ACTION_ADVISORIES, type ActionAdvisory } from '#lib/data/generated/action-advisories.ts';
import { ACTION_INTERFACES, type ActionInterfaces } from '#lib/data/generated/action-interfaces.ts';
import { ACTION_RUNTIMES, type ActionRuntimes } from '#lib/data/generated/action-runtimes.ts';
import { ARCHIVED_ACTIONS } from '#lib/data/generated/archived-actions.ts';
import { DOCUMENTED_NEEDS, type DocumentedNeeds } from '#lib/data/generated/documented-needs.ts';
import { MOVED_ACTIONS } from '#lib/data/generated/moved-actions.ts';
import { Client, onlyToken } from '#lib/hosts/code-host/client.ts';
import { octokitFor } from '#lib/hosts/code-host/octokit.ts';
import { needsIn, readDocumentation } from './refresh-needs.ts';
import { interfacesIn, mergeByAction, type ReleaseFile, readDefinitions, runtimesIn } from './refresh-releases.ts';
import {
  type AdvisoryRecord,
  mergeAdvisories,
  mergeArchived,
  mergeMoved,
  type Refreshed,
  readAdvisories,
  readStates,
  withRows,
} from './refresh-tables.ts';

const ALL = ['advisories', 'archived', 'moved', 'releases', 'needs'] as const;
const chosen = process.argv.length > 2 ? process.argv.slice(2) : [...ALL];
for (const name of chosen) {
  if (!ALL.some((each) => each === name)) throw new Error(`There is no "${name}"; there are ${ALL.join(', ')}.`);
}

const { apiUrl, graphqlUrl, token } = remoteOptions(process.env);
if (token === undefined) throw new Error('Set GITHUB_TOKEN: a token without any permission reads all of it.');
const octokit = new (octokitFor(apiUrl, 30_000))({ auth: token });
const client = new Client({ octokit: new (octokitFor(apiUrl, 30_000))(), graphqlUrl, tokens: onlyToken(token) });

const seconds = Number(process.env['SOURCE_DATE_EPOCH']);
const today = (seconds > 0 ? new Date(seconds * 1_000) : new Date()).toISOString().slice(0, 10);

if (chosen.includes('advisories')) {
  const records = await readAdvisories(octokit);
  const before: readonly ActionAdvisory[] = ACTION_ADVISORIES;
  const merged = mergeAdvisories(before, records);
  write('action-advisories.ts', 'ACTION_ADVISORIES', { ...merged, notes: [...merged.notes, ...hijacksIn(records)] });
}
if (chosen.includes('archived') || chosen.includes('moved')) {
  const known = [...POPULAR_ACTIONS, ...ARCHIVED_ACTIONS, ...MOVED_ACTIONS, ...ACTION_INTERFACES].map((each) =>
    typeof each === 'string' ? each : each.action,
  );
  const names = [...known, ...Object.keys(ACTION_NEEDS)].map((name) => name.split('/').slice(0, 2).join('/'));
  const states = await readStates(client, [...new Set(names)].sort());
  if (chosen.includes('archived')) {
    write('archived-actions.ts', 'ARCHIVED_ACTIONS', mergeArchived(ARCHIVED_ACTIONS, states));
  }
  if (chosen.includes('moved')) write('moved-actions.ts', 'MOVED_ACTIONS', mergeMoved(MOVED_ACTIONS, states));
}
if (chosen.includes('releases') || chosen.includes('needs')) {
  const interfaces: readonly ActionInterfaces[] = ACTION_INTERFACES;
  const names = [...new Set([...POPULAR_ACTIONS, ...interfaces.map(({ action }) => action)])].sort();
  const definitions = await readDefinitions(client, names);
  if (chosen.includes('releases')) writeReleases(interfaces, definitions);
  if (chosen.includes('needs')) {
    const documented: readonly DocumentedNeeds[] = DOCUMENTED_NEEDS;
    const read = needsIn(await readDocumentation(client, names), definitions);
    write('documented-needs.ts', 'DOCUMENTED_NEEDS', mergeByAction(documented, read));
  }
}

function writeReleases(interfaces: readonly ActionInterfaces[], definitions: readonly ReleaseFile[]): void {
  write('action-interfaces.ts', 'ACTION_INTERFACES', mergeByAction(interfaces, interfacesIn(definitions)));
  const runtimes: readonly ActionRuntimes[] = ACTION_RUNTIMES;
  const unjudged = POPULAR_ACTIONS.filter((name) => !Object.keys(ACTION_NEEDS).some((each) => each.startsWith(name)));
  const notes = unjudged.length === 0 ? [] : [`Not in action-needs.ts: ${unjudged.join(', ')}`];
  write('action-runtimes.ts', 'ACTION_RUNTIMES', { ...mergeByAction(runtimes, runtimesIn(definitions)), notes });
}

function write(file: string, name: string, { rows, added, changed, removed, notes }: Refreshed<unknown>): void {
  const path = `lib/data/generated/${file}`;
  writeFileSync(path, withRows(readFileSync(path, 'utf8'), name, rows));
  const provenance = JSON.parse(readFileSync('lib/data/provenance.json', 'utf8')) as Record<string, { date: string }>;
  const entry = provenance[file];
  if (entry === undefined) throw new Error(`lib/data/provenance.json has no entry for ${file}.`);
  entry.date = today;
  writeFileSync('lib/data/provenance.json', `${JSON.stringify(provenance, null, 2)}\n`);
  execFileSync('node_modules/.bin/biome', ['format', '--write', path, 'lib/data/provenance.json'], { stdio: 'pipe' });
  const part = (title: string, list: readonly string[]): string =>
    list.length === 0 ? '' : `\n${title}:\n\n${list.map((each) => `- ${plain(each)}`).join('\n')}\n`;
  process.stdout.write(
    `## ${file}\n\n${rows.length} rows.\n${part('Added', added)}${part('Changed', changed)}${part('Removed', removed)}${part('To look at', notes)}\n`,
  );
}

function hijacksIn(records: readonly AdvisoryRecord[]): string[] {
  const known = new Set<string>(COMPROMISED_REFS.map(({ reference }) => reference));
  return records
    .filter(({ ghsa_id, summary }) => /malicious|compromis|hijack|backdoor/i.test(summary) && !known.has(ghsa_id))
    .map(
      ({ ghsa_id, summary }) => `${ghsa_id} may be a hijack, whose commits belong into compromised-refs.ts: ${summary}`,
    );
}

function plain(text: string): string {
  return text
    .replace(/[\s\p{C}]+/gu, ' ')
    .replace(/[<>`[\]@#]/g, ' ')
    .slice(0, 300);
}
