import { type Comparison, compareSides, type Parts, type Side } from '#lib/changes/compare.ts';
import { judge, strictest, type Verdict } from '#lib/changes/judge.ts';
import { withMoves } from '#lib/changes/moved-files.ts';
import type { Policy } from '#lib/changes/policy.ts';
import type { Decisions } from '#lib/combos/evidence.ts';
import { type AttackPath, comparePaths } from '#lib/combos/match.ts';
import type { Env } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import type { ChangeRead } from '#lib/hosts/code-host/port.ts';
import { type CheckText, describeCheck } from '#lib/report/check-run.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { platformOf } from '../scans/platform.ts';

type Files = Extract<ChangeRead, { isRelevant: true }>;

export interface Wishes extends Policy {
  readonly disabledRules: readonly string[];
  readonly statusByFingerprint: Readonly<Record<string, string>>;
}

export interface CheckOutcome extends CheckText {
  readonly verdict: Verdict;
}

/**
 * Compares both sides of a pull request for several organizations and describes the result. Configuration is the base's,
 * and comments that the head adds suppress nothing. A changed file that cannot be read is never clean.
 */
export function checkChange(
  read: Files,
  { fullName, wishes }: { readonly fullName: string; readonly wishes: readonly Wishes[] },
  env: Pick<Env, 'scm'>,
): CheckOutcome {
  const { base: before, head: after, visibility } = read;
  const ofBase = before.filter(({ path }) => fileKind(path) === 'config');
  const trusted = [...after.filter(({ path }) => fileKind(path) !== 'config'), ...ofBase];
  const platform = platformOf(env);
  const scan = (files: readonly InputFile[]): Side => {
    const repository = createRepository(files, fullName, { platform });
    return { repository, result: scanRepository(repository, { facts: NO_FACTS }) };
  };
  const [base, head] = [scan(withMoves(before, trusted)), scan(trusted)];
  const compared = wishes.map((wish): { readonly wish: Wishes; readonly comparison: Comparison } => {
    const options = { facts: NO_FACTS, isPrivate: visibility !== 'public', ignoresAddedComments: true };
    return { wish, comparison: compareSides(base, head, { ...options, decisions: decisionsOf(wish) }) };
  });
  const judged = compared.map(({ wish, comparison }) => judge(comparison, wish));
  const problems = problemsOf(read, head.repository);
  const failed = head.result.notAssessed.some(({ reason }) => reason === 'rule_error');
  const decided = strictest(judged.map(({ verdict }) => verdict));
  const verdict = decided === 'clean' && (problems.length > 0 || failed) ? 'found' : decided;
  const paths = distinctPaths(judged.flatMap(({ counted }) => counted.paths));
  const addedPaths = new Set(compared.flatMap(({ comparison }) => comparison.added.paths.map(keyOf)));
  const text = describeCheck({
    verdict,
    policies: wishes,
    counted: { findings: distinctFindings(judged), paths, omitted: distinctOmitted(judged) },
    added: {
      findings: new Set(
        compared.flatMap(({ comparison }) => comparison.added.findings.map((each) => each.fingerprint)),
      ),
      paths: new Set(paths.filter((path) => addedPaths.has(keyOf(path)))),
    },
    listed: compared[0]?.comparison.listed ?? [],
    problems,
    notAssessed: head.result.notAssessed,
  });
  return { verdict, ...text };
}

function decisionsOf({ disabledRules, statusByFingerprint }: Wishes): Decisions {
  const withStatus = (...wanted: readonly string[]) =>
    new Set(
      Object.entries(statusByFingerprint).flatMap(([fingerprint, status]) =>
        wanted.includes(status) ? [fingerprint] : [],
      ),
    );
  return {
    disabledRules: new Set(disabledRules),
    dismissed: withStatus('dismissed', 'false_positive'),
    accepted: withStatus('accepted', 'snoozed'),
  };
}

function distinctFindings(judged: readonly { readonly counted: Parts }[]): Parts['findings'] {
  return [
    ...new Map(
      judged.flatMap(({ counted }) => counted.findings.map((each) => [each.fingerprint, each] as const)),
    ).values(),
  ];
}

function distinctOmitted(judged: readonly { readonly counted: Parts }[]): Parts['omitted'] {
  const all = judged.flatMap(({ counted }) => counted.omitted);
  return [...new Map(all.map((each) => [JSON.stringify([each.ruleId, each.file, each.severity]), each])).values()];
}

function distinctPaths(paths: readonly AttackPath[]): AttackPath[] {
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()].sort(comparePaths);
}

function keyOf({ comboId, scope, anchor, breakChainRule }: AttackPath): string {
  return JSON.stringify([comboId, scope, anchor, breakChainRule]);
}

function problemsOf(
  { base, head, unread }: Files,
  { files }: Repository,
): { readonly file: string; readonly message: string }[] {
  const before = new Map(base.map((file) => [file.path, file]));
  const same = ({ path, text, problem }: InputFile): boolean => {
    const old = before.get(path);
    return old !== undefined && old.text === text && old.problem?.message === problem?.message;
  };
  const changed = new Set(head.filter((file) => !same(file)).map(({ path }) => path));
  const unknown = files.flatMap(({ source: { path }, definition, diagnostics }) => {
    const error = diagnostics.find(({ severity }) => severity === 'error');
    if (!changed.has(path) || (definition !== undefined && error === undefined)) return [];
    return [{ file: path, message: error?.message ?? 'The file could not be read.' }];
  });
  return [...unknown, ...unread.map((file) => ({ file, message: 'The file was not read: the change is too large.' }))];
}
