import { hardenFile } from '#lib/hardener/harden.ts';
import type { AppliedFix, HardenedFile, HardenOptions } from '#lib/hardener/hardening.ts';
import { describeFix } from '#lib/hardener/hardening.ts';
import { visible } from '#lib/report/visible.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

export interface Asked {
  readonly file: string;
  readonly fixes: readonly AppliedFix[];
  readonly diff: string;
}

export type Answer = 'yes' | 'no' | 'all' | 'quit';

/**
 * Fixes a repository and asks before each fix, which can change several places at once. Verifies each fix together with
 * those accepted so far. Yields the same files as `hardenRepository`.
 */
export async function* hardenAsking(
  repository: Repository,
  options: HardenOptions,
  ask: (asked: Asked) => Promise<Answer>,
): AsyncGenerator<HardenedFile> {
  let current = repository;
  let mode: 'asking' | 'all' | 'done' = 'asking';
  for (const { source } of repository.files) {
    const { path } = source;
    const declined = new Set<string>();
    const applied: AppliedFix[] = [];
    const nothing = { ...options, chosenRules: new Set<string>() };
    let last = hardenFile(current, path, nothing);
    const accept = (result: HardenedFile): void => {
      applied.push(...result.applied);
      current = result.repository;
      last = result;
    };
    while (mode === 'asking') {
      const next = last.remaining.find((finding) => mayFix(finding, options) && !declined.has(finding.fingerprint));
      if (next === undefined) break;
      const others = last.remaining.filter(({ fix }) => fix !== next.fix).map(({ fingerprint }) => fingerprint);
      const single = hardenFile(current, path, { ...options, except: new Set(others) });
      const together = last.remaining.filter(({ fix }) => fix === next.fix);
      if (single.after === single.before) {
        for (const { fingerprint } of together) declined.add(fingerprint);
        continue;
      }
      const answer = await ask({ file: path, fixes: single.applied, diff: single.diff });
      if (answer === 'yes' || answer === 'all') accept(single);
      else for (const { fingerprint } of together) declined.add(fingerprint);
      if (answer === 'all') mode = 'all';
      if (answer === 'quit') mode = 'done';
    }
    if (mode === 'all') accept(hardenFile(current, path, { ...options, except: declined }));
    yield { ...last, before: source.text, applied };
  }
}

function mayFix(
  { fix, category, ruleId }: Finding,
  { categories, chosenRules, includeReview }: HardenOptions,
): boolean {
  if (fix === undefined || (fix.safety !== 'safe' && includeReview !== true)) return false;
  return (categories?.has(category) ?? true) && (chosenRules?.has(ruleId) ?? true);
}

const HELP = `y  apply this fix
n  leave this finding alone
a  apply this fix and all that follow
q  apply nothing more
?  explain these answers
`;

const ANSWERS: Readonly<Record<string, Answer>> = {
  y: 'yes',
  yes: 'yes',
  n: 'no',
  no: 'no',
  a: 'all',
  all: 'all',
  q: 'quit',
  quit: 'quit',
};

export async function askOn(
  { file, fixes, diff }: Asked,
  write: (text: string) => unknown,
  answers: AsyncIterator<string, undefined>,
): Promise<Answer> {
  write(`${diff}\n`);
  for (const fix of fixes) write(`${visible(`${file}:${fix.line} ${fix.ruleId}: ${describeFix(fix)}`)}\n`);
  for (;;) {
    write('Apply this fix [y,n,a,q,?]? ');
    const { value, done } = await answers.next();
    if (done === true) {
      write('\n');
      return 'quit';
    }
    const answer = ANSWERS[value.trim().toLowerCase()];
    if (answer !== undefined) return answer;
    write(HELP);
  }
}
