import { replaceText } from '#lib/analysis/incremental/replace-text.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { FindingLimits } from '#lib/scanner/engine/listing.ts';
import { redact } from '#lib/scanner/engine/redact.ts';
import type { Category, Fix } from '#lib/scanner/engine/rule.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { ScanOptions } from '#lib/scanner/engine/scan.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { applyEdits, compareEdits, type TextEdit } from '#lib/workflow/edits/edit.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { MAX_DIAGNOSTICS_PER_FILE } from '#lib/workflow/text/limits.ts';
import { type Candidate, collide, type Failure, groupsOf, halvesOf, whyWorse, whyWorseElsewhere } from './candidate.ts';
import { Changes, type Hunk } from './changes.ts';
import { whyUntouchable } from './untouchable.ts';
import { findDamage, findUnlocked } from './verify.ts';

/**
 * `suppressions: false` also fixes suppressed findings. Rules that are not among `chosenRules` still reject fixes
 * that cause their findings. `except` holds fingerprints of findings that stay.
 */
export interface HardenOptions {
  readonly facts?: Facts;
  readonly ruleset?: Ruleset;
  readonly suppressions?: boolean;
  readonly disabledRules?: ReadonlySet<string>;
  readonly categories?: ReadonlySet<Category>;
  readonly chosenRules?: ReadonlySet<string>;
  readonly except?: ReadonlySet<string>;
  readonly includeReview?: boolean;
  readonly name?: string;
  readonly rulesInDiff?: boolean;
  readonly mayGoOn?: () => boolean;
}

export interface AppliedFix {
  readonly ruleId: string;
  readonly category: Category;
  readonly safety: Fix['safety'];
  readonly line: number;
  readonly description: string;
  readonly note: string | undefined;
}

export interface Refusal {
  readonly ruleId: string;
  readonly category: Category;
  readonly line: number;
  readonly reason: string;
}

export interface HardenedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly applied: readonly AppliedFix[];
  readonly hunks: readonly Hunk[];
  readonly diff: string;
  readonly refused: readonly Refusal[];
  readonly remaining: readonly Finding[];
  readonly repository: Repository;
}

export const REVERTED = 'The fix was reverted.';

const MAX_SCANS = 40;
const LIMITS: FindingLimits = { ofRuleInFile: 10_000, ofScan: 50_000 };
const SHARE_OF_READING = 0.25;
const SCANS_TO_COMMIT = 2;

export function scanOptions({ facts, ruleset, disabledRules, suppressions = true }: HardenOptions): ScanOptions {
  return {
    limits: LIMITS,
    ...(facts === undefined ? {} : { facts }),
    ...(ruleset === undefined ? {} : { ruleset }),
    ...(disabledRules === undefined ? {} : { disabledRules }),
    suppressions,
  };
}

interface State {
  readonly repository: Repository;
  readonly text: string;
  readonly findings: readonly Finding[];
}

export class Hardening {
  readonly #path: string;
  readonly #options: HardenOptions;
  readonly #before: string;
  readonly #changes: Changes;
  readonly #applied: AppliedFix[] = [];
  readonly #failed = new Map<string, string>();
  #failedBefore = false;
  #scansLeft = MAX_SCANS;
  #state: State;

  constructor(repository: Repository, path: string, options: HardenOptions) {
    this.#path = path;
    this.#options = options;
    this.#before = textOf(repository, path);
    this.#state = { repository, text: this.#before, findings: [] };
    this.#changes = new Changes(this.#before);
  }

  run(known?: readonly Finding[]): HardenedFile {
    const hopeless =
      known?.every((finding) => finding.fix === undefined || !this.#mayApply(finding, finding.fix)) === true;
    this.#state = hopeless ? { ...this.#state, findings: known } : this.#scan(this.#state.repository);
    const file = fileOf(this.#state.repository, this.#path);
    const untouchable = whyUntouchable(file);
    if (!hopeless && untouchable === undefined) this.#fixAll();
    const { repository, text, findings } = this.#state;
    return {
      path: this.#path,
      before: this.#before,
      after: text,
      applied: this.#applied.sort((a, b) => a.line - b.line || (a.ruleId < b.ruleId ? -1 : 1)),
      hunks: this.#changes.hunks(),
      diff: this.#changes.unified(this.#options.name ?? this.#path, this.#options.rulesInDiff),
      refused: this.#refusals(untouchable),
      remaining: findings,
      repository,
    };
  }

  #fixAll(): void {
    while (this.#mayScan(0)) {
      const candidates = this.#candidates();
      if (candidates.length > 0) this.#round(candidates);
      else if (this.#failedBefore) {
        // A fix that failed on an earlier text may succeed on this one.
        this.#failed.clear();
        this.#failedBefore = false;
      } else return;
    }
  }

  #scan(repository: Repository, watched?: ReadonlySet<string>): State {
    this.#scansLeft -= 1;
    const findings = this.#findingsIn(new Set([this.#path]), repository, watched);
    return { repository, text: textOf(repository, this.#path), findings };
  }

  #findingsIn(paths: ReadonlySet<string>, repository: Repository, watched?: ReadonlySet<string>): Finding[] {
    const { findings } = scanRepository(repository, {
      ...scanOptions(this.#options),
      ...(watched === undefined ? {} : { rules: rules.filter(({ id }) => watched.has(id)) }),
      among: paths,
    });
    return findings.filter(({ file }) => file !== null && paths.has(file));
  }

  #candidates(): Candidate[] {
    const byFix = new Map<Fix, [Finding, ...Finding[]]>();
    for (const finding of this.#state.findings) {
      const { fix } = finding;
      if (fix === undefined || !this.#mayApply(finding, fix) || this.#failed.has(keyOf(finding))) continue;
      const known = byFix.get(fix);
      if (known === undefined) byFix.set(fix, [finding]);
      else known.push(finding);
    }
    const taken: TextEdit[] = [];
    return [...byFix].flatMap(([fix, findings]) => {
      if (fix.edits.some((edit) => taken.some((other) => collide(edit, other)))) return [];
      taken.push(...fix.edits);
      return [{ fix, findings, category: findings[0].category }];
    });
  }

  #isChosen({ category, ruleId, fingerprint }: Finding): boolean {
    const { categories, chosenRules, except } = this.#options;
    if (except?.has(fingerprint) === true) return false;
    return (categories?.has(category) ?? true) && (chosenRules?.has(ruleId) ?? true);
  }

  #mayApply(finding: Finding, { safety }: Fix): boolean {
    return this.#isChosen(finding) && (safety === 'safe' || this.#options.includeReview === true);
  }

  #round(candidates: readonly Candidate[]): void {
    const brought = new Set<string>();
    let open = candidates;
    while (open.length > 0 && this.#mayScan(0)) {
      const result = this.#try(open);
      if (!('refusal' in result)) return this.#commit(open, result);
      if (result.brings !== undefined) brought.add(result.brings);
      const sound: (readonly Candidate[])[] = [];
      this.#divide(open, result, brought, sound);
      const all = sound.flat();
      // Groups that succeed alone but not together wait for the next round.
      open = all.length < open.length ? all : (sound[0] ?? []);
    }
  }

  /**
   * Bisects fixes that fail together. Checks halves with their own rules only, which is cheap: every commit is scanned
   * with all rules.
   */
  #divide(
    candidates: readonly Candidate[],
    { refusal, ofEach }: Failure,
    brought: ReadonlySet<string>,
    sound: (readonly Candidate[])[],
  ): void {
    const groups = groupsOf(candidates);
    if (groups === undefined && (ofEach || candidates.length === 1)) {
      for (const { findings } of candidates) {
        for (const finding of findings) this.#failed.set(keyOf(finding), refusal);
      }
      return;
    }
    for (const part of groups ?? halvesOf(candidates)) {
      if (!this.#mayScan(SCANS_TO_COMMIT)) return;
      const own = part.flatMap(({ findings }) => findings.map(({ ruleId }) => ruleId));
      const result = this.#try(part, new Set([...own, ...brought]));
      if ('refusal' in result) this.#divide(part, result, brought, sound);
      else sound.push(part);
    }
  }

  #mayScan(reserve: number): boolean {
    return this.#scansLeft > reserve && this.#options.mayGoOn?.() !== false;
  }

  #try(candidates: readonly Candidate[], watched?: ReadonlySet<string>): State | Failure {
    const edits = candidates.flatMap(({ fix }) => fix.edits);
    const text = applyEdits(this.#state.text, edits);
    if (text === this.#state.text) return { refusal: 'It would change nothing.', ofEach: true };
    const repository = replaceText(this.#state.repository, this.#path, text);
    const [before, now] = [fileOf(this.#state.repository, this.#path), fileOf(repository, this.#path)];
    const damage = findDamage(before, now, edits);
    const refusal = damage?.refusal ?? findUnlocked(before, now, repository.lockfile);
    if (refusal !== undefined) {
      this.#scansLeft -= SHARE_OF_READING;
      // As many problems as fixes, or as can be listed: assumes one each.
      const ofEach = (damage?.places ?? 0) >= Math.min(candidates.length, MAX_DIAGNOSTICS_PER_FILE);
      return { refusal, ofEach };
    }
    const after = this.#scan(repository, watched);
    const had = this.#state.findings.filter(({ ruleId }) => watched?.has(ruleId) ?? true);
    return (
      whyWorse(had, after.findings, candidates) ?? this.#whyWorseElsewhere(repository, candidates, watched) ?? after
    );
  }

  #whyWorseElsewhere(
    repository: Repository,
    candidates: readonly Candidate[],
    watched: ReadonlySet<string> | undefined,
  ): Failure | undefined {
    const unchanged = new Set(this.#state.repository.files);
    const linked = repository.files.flatMap((file) =>
      unchanged.has(file) || file.source.path === this.#path ? [] : [file.source.path],
    );
    if (linked.length === 0 || linked.length > MAX_LINKED) return undefined;
    const [before, after] = [this.#state.repository, repository].map((each) =>
      this.#findingsIn(new Set(linked), each, watched).filter(
        ({ ruleId }) => !REPORTED_ONCE_PER_REPOSITORY.has(ruleId),
      ),
    ) as [Finding[], Finding[]];
    return whyWorseElsewhere(before, after, candidates);
  }

  #commit(candidates: readonly Candidate[], after: State): void {
    for (const { fix, findings } of candidates) {
      for (const { ruleId, category, line, description } of findings) {
        const original = this.#changes.originalLine(line ?? 1);
        this.#applied.push({ ruleId, category, safety: fix.safety, line: original, description, note: noteOf(fix) });
      }
    }
    const made: TextEdit[] = [];
    for (const { category, ruleId, edits } of editsByRule(candidates)) {
      this.#changes.advance(moved(edits, made), category, ruleId);
      made.push(...edits);
    }
    this.#state = after;
    this.#failedBefore = this.#failed.size > 0;
  }

  #refusals(untouchable: string | undefined): Refusal[] {
    const refusals = new Map<string, Refusal>();
    for (const finding of this.#state.findings) {
      if (!this.#isChosen(finding)) continue;
      const { ruleId, category } = finding;
      const line = this.#changes.originalLine(finding.line ?? 1);
      refusals.set(`${ruleId} ${line}`, { ruleId, category, line, reason: this.#whyNot(finding, untouchable) });
    }
    return [...refusals.values()].sort((a, b) => a.line - b.line || (a.ruleId < b.ruleId ? -1 : 1));
  }

  #whyNot(finding: Finding, untouchable: string | undefined): string {
    const { fix, ruleId, recommendation, advice } = finding;
    if (fix !== undefined && untouchable !== undefined) return untouchable;
    if (fix === undefined) {
      if (advice !== undefined) return advice;
      return FIXING_RULES.has(ruleId)
        ? `No edit is guaranteed to preserve behaviour. ${recommendation}`
        : `Needs your judgement. ${recommendation}`;
    }
    const failed = this.#failed.get(keyOf(finding));
    if (failed !== undefined) return `${REVERTED} ${failed}`;
    if (!this.#mayApply(finding, fix)) {
      return `A fix is available but can change behaviour, so it is applied only on request. ${noteOf(fix) ?? recommendation}`;
    }
    return 'The file needs more fixes than one run applies.';
  }
}

export function describeFix({ description, note }: AppliedFix): string {
  return note === undefined ? description : `${description} ${note}`;
}

const MAX_NOTE_LENGTH = 1_000;

function noteOf({ note }: Fix): string | undefined {
  return note === undefined ? undefined : redact(note).slice(0, MAX_NOTE_LENGTH);
}

/** Bounds dependent files: beyond this, each fix would cost a repository scan. */
const MAX_LINKED = 50;

export const REPORTED_ONCE_PER_REPOSITORY: ReadonlySet<string> = new Set(
  rules.flatMap(({ id, check }) => (check.repository === undefined ? [] : [id])),
);

const FIXING_RULES: ReadonlySet<string> = new Set(
  rules.flatMap(({ id, examples }) => (examples.bad.some(({ fixed }) => fixed !== undefined) ? [id] : [])),
);

function editsByRule(
  candidates: readonly Candidate[],
): { readonly category: Category; readonly ruleId: string; readonly edits: TextEdit[] }[] {
  const rules = new Map<string, { category: Category; ruleId: string; edits: TextEdit[] }>();
  for (const { category, findings, fix } of candidates) {
    const [{ ruleId }] = findings;
    const known = rules.get(ruleId);
    if (known === undefined) rules.set(ruleId, { category, ruleId, edits: [...fix.edits] });
    else known.edits.push(...fix.edits);
  }
  return [...rules.values()].sort(
    (a, b) => compareCategories(a.category, b.category) || compareText(a.ruleId, b.ruleId),
  );
}

function moved(edits: readonly TextEdit[], made: readonly TextEdit[]): TextEdit[] {
  const before = [...made].sort(compareEdits);
  let shift = 0;
  let next = 0;
  return [...edits].sort(compareEdits).map((moving) => {
    const { span, text } = moving;
    for (let edit = before[next]; edit !== undefined && compareEdits(edit, moving) < 0; edit = before[next]) {
      shift += edit.text.length - (edit.span.end - edit.span.start);
      next += 1;
    }
    return { span: { start: span.start + shift, end: span.end + shift }, text };
  });
}

function compareCategories(a: Category, b: Category): number {
  return Number(a.slice('CICD-SEC-'.length)) - Number(b.slice('CICD-SEC-'.length));
}

function keyOf({ ruleId, fingerprint }: Finding): string {
  return `${ruleId} ${fingerprint}`;
}

function fileOf(repository: Repository, path: string): Repository['files'][number] {
  const file = repository.files.find(({ source }) => source.path === path);
  if (file === undefined) throw new RangeError('the repository has no such file');
  return file;
}

function textOf(repository: Repository, path: string): string {
  return fileOf(repository, path).source.text;
}
