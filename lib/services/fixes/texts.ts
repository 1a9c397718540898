import { createHash } from 'node:crypto';
import { codeSpan, escapeForeign, escapeText } from '#lib/report/markdown-text.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import type { Proposal } from './proposals.ts';

export interface FixTexts {
  readonly headline: string;
  readonly commitBody: string;
  readonly pullBody: string;
}

export interface Surroundings {
  readonly webUrl: string;
  readonly htmlUrl: string;
  readonly commit: string;
}

const MAX_BODY = 60_000;
const LISTED = [60, 20, 5];
const TRAILER = /^Chainbreak-Fix: ([0-9a-f]{32})$/m;

/** Deterministic, so that every run finds the branch of a file again. */
export function branchOf(file: string): string {
  const stem = (file.split('/').at(-1) ?? '')
    .replace(/\.ya?ml$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return ['chainbreak/fix', ...(stem === '' ? [] : [stem]), sha256(file).slice(0, 8)].join('-');
}

/** Two fixes are the same if they resolve the same findings: versions that they pin may differ. */
export function fixDigest({
  file,
  rule_ids,
  fingerprints,
}: Pick<Proposal, 'file' | 'rule_ids' | 'fingerprints'>): string {
  return sha256(JSON.stringify([file, rule_ids, fingerprints])).slice(0, 32);
}

export function digestIn(message: string): string | undefined {
  return TRAILER.exec(message)?.[1];
}

export function textsOf(proposal: Proposal, around: Surroundings): FixTexts {
  const { file, fixes, rule_ids: ruleIds } = proposal;
  const count = `${fixes.length} ${fixes.length === 1 ? 'weakness' : 'weaknesses'}`;
  const lines = ruleIds.map((id) => `- ${id}: ${linesOf(fixes.filter(({ rule_id }) => rule_id === id))}`);
  const bodies = LISTED.map((limit) => bodyOf(proposal, around, limit));
  return {
    headline: `ci: fix ${count} in ${plainName(file)}`,
    commitBody: [...lines.slice(0, 100), '', `Chainbreak-Fix: ${fixDigest(proposal)}`].join('\n'),
    pullBody: bodies.find((body) => body.length <= MAX_BODY) ?? (bodies.at(-1) ?? '').slice(0, MAX_BODY),
  };
}

/** Titles and messages have no escapes, and mean something to the code host: `#1`, `@name`, `[skip ci]`. */
function plainName(file: string): string {
  return (file.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').slice(0, 80);
}

function linesOf(fixes: readonly { readonly line: number }[]): string {
  const lines = [...new Set(fixes.map(({ line }) => line))];
  const shown = lines.slice(0, 20).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${lines.length > 20 ? ' and more' : ''}`;
}

function bodyOf(proposal: Proposal, { webUrl, htmlUrl, commit }: Surroundings, limit: number): string {
  const { file, fixes, refused, rule_ids: ruleIds } = proposal;
  const blob = `${htmlUrl}/blob/${commit}/${file.split('/').map(encodeURIComponent).join('/')}`;
  const page = (id: string): string => `[\`${id}\`](${webUrl}/rules/${id})`;
  const at = (line: number): string => `[${line}](${blob}#L${line})`;
  const changed = fixes.slice(0, limit).map(({ line, rule_id, description }) => {
    return `| ${at(line)} | ${escapeForeign(description)} | ${page(rule_id)} |`;
  });
  const stayed = refused.slice(0, limit).map(({ line, rule_id, reason }) => {
    return `- Line ${at(line)}, ${page(rule_id)}: ${escapeForeign(reason)}`;
  });
  return [
    `This pull request fixes ${fixes.length === 1 ? 'one weakness' : `${fixes.length} weaknesses`} of ${codeSpan(file)} in one commit. It contains only fixes that keep what a legitimate run does.`,
    '',
    '## What an attacker could do',
    '',
    ...ruleIds.flatMap((id) => {
      const meta = rules.find((rule) => rule.id === id)?.meta;
      return meta === undefined ? [] : [`- **${escapeText(meta.title)}.** ${escapeText(meta.attack)}`];
    }),
    '',
    '## What changes',
    '',
    '| line before | weakness | rule |',
    '| ---: | --- | --- |',
    ...changed,
    ...more(fixes.length - changed.length, '\nThe commit message lists $ more.'),
    '',
    '## What does not change, and why',
    '',
    ...stayed,
    ...more(refused.length - stayed.length, '- $ more findings stay.'),
    '- Everything else stays as it is, byte for byte.',
    '',
    '## How it was proven',
    '',
    `The fixed file was parsed again and scanned with all ${rules.length} rules, together with the other files of ${commit.slice(0, 7)}. The findings above are gone, there is no new one, and no value or comment outside of the edited places changed.`,
    '',
    '## Not wanted?',
    '',
    `Close this pull request: the same fix is not proposed again. To keep one place as it is, write \`# chainbreak: ignore[rule] reason\` on its line; for files and folders use \`.github/chainbreak.yml\`. Once somebody pushes to this branch, Chainbreak leaves it alone.`,
    '',
  ].join('\n');
}

function more(count: number, sentence: string): string[] {
  return count > 0 ? [sentence.replace('$', String(count))] : [];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
