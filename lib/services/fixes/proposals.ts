import { imagesToPin } from '#lib/analysis/inventory/images.ts';
import type { Env } from '#lib/env.ts';
import { type Facts, type ImageDigests, type NetworkFacts, NO_FACTS, type Source } from '#lib/facts/facts.ts';
import { hardenFile } from '#lib/hardener/harden.ts';
import { describeFix, type HardenedFile } from '#lib/hardener/hardening.ts';
import { Proof } from '#lib/hardener/prove.ts';
import { whyUntouchable } from '#lib/hardener/untouchable.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { isInRuleset, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { withInserted } from '#lib/scanner/remedies/inserted-actions.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { actionsUsedBy, type UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { ImageReference } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import { repositoryOf } from '../scans/evaluate.ts';
import { platformOf } from '../scans/platform.ts';
import { hideSecretNames } from './secret-names.ts';

export interface FixChoice {
  readonly ruleset: Ruleset;
  readonly disabledRules: readonly string[];
  readonly ruleIds?: readonly string[] | undefined;
  readonly file?: string | undefined;
  readonly includeReview: boolean;
  readonly triaged: readonly string[];
}

export interface FixNeeds {
  readonly actions: readonly UsedAction[];
  readonly images: readonly ImageReference[] | undefined;
}

export interface FixFacts {
  readonly network: Source<NetworkFacts>;
  readonly images?: ImageDigests;
}

interface ProposedFix {
  readonly rule_id: string;
  readonly line: number;
  readonly description: string;
}

interface RefusedFix {
  readonly rule_id: string;
  readonly line: number;
  readonly reason: string;
}

/** The fix of one file, made as if other files did not change. Its texts contain no names of secrets. */
export interface Proposal {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly diff: string;
  readonly fixes: readonly ProposedFix[];
  readonly refused: readonly RefusedFix[];
  readonly rule_ids: readonly string[];
  readonly fingerprints: readonly string[];
}

export interface Proposals {
  readonly files: readonly Proposal[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  readonly isComplete: boolean;
}

const FIX_MS = 25_000;

export function fixNeeds(
  snapshot: RepositorySnapshot,
  { includeReview }: Pick<FixChoice, 'includeReview'>,
  env: Pick<Env, 'scm'>,
): FixNeeds {
  const repository = repositoryOf(snapshot, env);
  const used = actionsUsedBy(repository);
  return {
    actions: includeReview ? withInserted(used, repository, undefined) : used,
    images: includeReview ? imagesToPin(repository) : undefined,
  };
}

/** Makes and proves the fix of each file. What takes too long is skipped, never half fixed. */
export function proposeFixes(
  snapshot: RepositorySnapshot,
  choice: FixChoice,
  given: FixFacts,
  env: Pick<Env, 'scm'>,
): Proposals {
  const deadline = performance.now() + FIX_MS;
  const mayGoOn = (): boolean => performance.now() < deadline;
  const facts: Facts = { ...NO_FACTS, ...imagesOf(given), network: given.network };
  const platform = platformOf(env);
  const parse = (files: readonly InputFile[]): Repository => createRepository(files, snapshot.fullName, { platform });
  const repository = repositoryOf(snapshot, env);
  const chosenRules = chosenBy(choice);
  const hardening = {
    facts,
    chosenRules,
    except: new Set(choice.triaged),
    includeReview: choice.includeReview,
    mayGoOn,
  };
  const isChosen = ({ file, ruleId }: Pick<Finding, 'file' | 'ruleId'>): boolean =>
    (choice.file === undefined || file === choice.file) && chosenRules.has(ruleId);
  const found = scanRepository(repository, { facts }).findings.filter(isChosen);
  const paths = [...new Set(found.flatMap(({ file }) => file ?? []))];
  const files: Proposal[] = [];
  const skipped = unreadable(snapshot, choice);
  let proof: Proof | undefined;
  let isComplete = true;
  for (const path of paths) {
    const fixable = found.some(({ file, fix }) => file === path && fix !== undefined && mayApply(fix.safety, choice));
    const parsed = repository.files.find(({ source }) => source.path === path);
    const untouchable = parsed === undefined ? undefined : whyUntouchable(parsed);
    if (fixable && untouchable !== undefined) skipped.push({ file: path, reason: untouchable });
    const result = mayGoOn() ? hardenFile(repository, path, hardening) : undefined;
    if (result === undefined || !mayGoOn()) {
      isComplete = false;
      if (fixable) skipped.push({ file: path, reason: TOO_LONG });
      continue;
    }
    const hide = hideSecretNames(repository, path);
    if (result.after === result.before) {
      if (result.refused.length > 0) files.push(toProposal(result, [], hide));
      continue;
    }
    proof ??= new Proof(snapshot.files, parse, facts);
    const proven = proof.check(result);
    if ('resolved' in proven) files.push(toProposal(result, proven.resolved, hide));
    else {
      const reason = `${proven.reason} None of the file was fixed.`;
      skipped.push({ file: path, reason });
      files.push(unproven(result, reason, hide));
    }
  }
  return { files, skipped, isComplete };
}

const TOO_LONG = 'The fixes of the files before took too long. Try again, or with fewer rules.';

function imagesOf({ images }: FixFacts): Pick<Facts, 'images'> {
  return images === undefined ? {} : { images: { value: images } };
}

function mayApply(safety: 'safe' | 'review', { includeReview }: FixChoice): boolean {
  return safety === 'safe' || includeReview;
}

function chosenBy({ ruleset, disabledRules, ruleIds }: FixChoice): ReadonlySet<string> {
  const disabled = new Set(disabledRules);
  const wanted = ruleIds === undefined ? undefined : new Set(ruleIds);
  const isChosen = (id: string): boolean => !disabled.has(id) && (wanted?.has(id) ?? true);
  return new Set(rules.filter((rule) => isInRuleset(rule, ruleset) && isChosen(rule.id)).map(({ id }) => id));
}

function unreadable({ files, unread }: RepositorySnapshot, { file }: FixChoice): { file: string; reason: string }[] {
  const skipped = [
    ...files.flatMap(({ path, text, problem }) =>
      text === undefined ? [{ file: path, reason: problem?.message ?? 'The file could not be read.' }] : [],
    ),
    ...unread.map((path) => ({ file: path, reason: 'The code host did not return this file.' })),
  ];
  return file === undefined ? skipped : skipped.filter((each) => each.file === file);
}

function unproven(result: HardenedFile, reason: string, hide: (text: string) => string): Proposal {
  const withdrawn = result.applied.map(({ ruleId, category, line }) => ({ ruleId, category, line, reason }));
  const refused = [...result.refused, ...withdrawn];
  return toProposal({ ...result, after: result.before, diff: '', applied: [], refused }, [], hide);
}

function toProposal(
  { path, before, after, diff, applied, refused }: HardenedFile,
  fingerprints: readonly string[],
  hide: (text: string) => string,
): Proposal {
  return {
    file: path,
    before,
    after,
    diff,
    fixes: applied.map((fix) => ({ rule_id: fix.ruleId, line: fix.line, description: hide(describeFix(fix)) })),
    refused: refused.map(({ ruleId, line, reason }) => ({ rule_id: ruleId, line, reason: hide(reason) })),
    rule_ids: [...new Set(applied.map(({ ruleId }) => ruleId))].sort(),
    fingerprints,
  };
}
