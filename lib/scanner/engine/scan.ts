import { type Facts, NO_FACTS, type NotAssessedReason, settingOf, type Unread } from '#lib/facts/facts.ts';
import { withUsedActions } from '#lib/facts/used-actions.ts';
import { contentsOf, sourceOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { joinFirst } from '#lib/workflow/text/join-list.ts';
import { MAX_DIAGNOSTICS_PER_FILE } from '#lib/workflow/text/limits.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import { Excerpts, redactStart } from './excerpt.ts';
import { compareFindings, type Finding } from './finding.ts';
import { anchorOf, fingerprintOf } from './fingerprint.ts';
import { type HookedRule, hookTable, visitFile } from './hooks.ts';
import { type Entry, FINDING_LIMITS, type FindingLimits, Listing, type Omitted } from './listing.ts';
import { assignPersonas } from './personas.ts';
import { relatedPlaces } from './related.ts';
import type { Check, Report, Rule, RuleContext } from './rule.ts';
import { isInRuleset, type Ruleset } from './rulesets.ts';
import { assessSlsa, type SlsaAssessment } from './slsa.ts';
import { withBarrier } from './start-barriers.ts';
import { type Suppressed, Suppressions } from './suppress.ts';
import { reportsAtUse } from './used-actions.ts';

export interface ScanOptions {
  readonly ruleset?: Ruleset;
  readonly disabledRules?: ReadonlySet<string>;
  readonly facts?: Facts;
  readonly rules?: readonly Rule[];
  readonly suppressions?: boolean;
  readonly limits?: FindingLimits;
  /** Restricts single-file checks to these paths; whole-repository checks always run. */
  readonly among?: ReadonlySet<string>;
}

export interface FileDiagnostic {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface NotAssessed {
  readonly ruleId: string;
  readonly reason: NotAssessedReason;
}

export interface ScanResult {
  readonly ruleset: Ruleset;
  readonly findings: readonly Finding[];
  readonly suppressed: readonly Suppressed[];
  readonly omitted: readonly Omitted[];
  readonly notAssessed: readonly NotAssessed[];
  readonly diagnostics: readonly FileDiagnostic[];
  readonly files: number;
  readonly slsa: readonly SlsaAssessment[];
  readonly unused?: readonly FileDiagnostic[];
}

/**
 * Runs the rules of a ruleset over one repository. Pure and synchronous. A rule that throws becomes a diagnostic and
 * counts as not assessed. Suppressions may name any rule of `catalog`.
 */
export function runRules(catalog: readonly Rule[], repository: Repository, options: ScanOptions): ScanResult {
  return new Scan(catalog, repository, options).run();
}

const MAX_TEXT_LENGTH = 600;
const MAX_ADVICE_LENGTH = 2_000;
const MAX_VALUE_LENGTH = 120;
const MAX_VALUE_READ = 2_000;
const MAX_UNREAD_SHOWN = 8;
const MAX_RULES_SHOWN = 8;
const MAX_UNUSED = 100;

interface Located extends Entry {
  readonly suppressedBy: Pick<Suppressed, 'by' | 'reason'> | undefined;
}

class Scan {
  readonly #repository: Repository;
  readonly #ruleset: Ruleset;
  readonly #disabled: ReadonlySet<string>;
  readonly #rules: readonly Rule[];
  readonly #among: ReadonlySet<string> | undefined;
  readonly #context: RuleContext;
  readonly #limits: FindingLimits;
  readonly #suppressions: Suppressions;
  readonly #suppresses: boolean;
  readonly #listed: Listing<Located>;
  readonly #suppressed: Listing<Located>;
  #reports = 0;
  readonly #failures = new Map<Rule, readonly { readonly file: string; readonly message: string }[]>();
  readonly #notAssessed: NotAssessed[] = [];
  readonly #diagnostics: FileDiagnostic[] = [];

  constructor(catalog: readonly Rule[], repository: Repository, options: ScanOptions) {
    const facts = options.facts ?? NO_FACTS;
    this.#repository = withUsedActions(repository, facts);
    this.#ruleset = options.ruleset ?? 'all';
    this.#disabled = options.disabledRules ?? new Set();
    this.#rules = options.rules ?? catalog;
    this.#context = { repository: this.#repository, facts };
    this.#among = options.among;
    this.#limits = options.limits ?? FINDING_LIMITS;
    this.#suppressions = new Suppressions(
      repository.files.map(({ source }) => source),
      repository.config,
      new Set(catalog.map(({ id }) => id)),
    );
    this.#suppresses = options.suppressions ?? true;
    this.#listed = new Listing(this.#limits);
    this.#suppressed = new Listing(this.#limits);
  }

  run(): ScanResult {
    const rules = this.#rules.filter((rule) => isInRuleset(rule, this.#ruleset));
    const reasons = new Map(rules.map((rule) => [rule, this.#missing(rule)] as const));
    this.#check(
      rules.filter((rule) => {
        const reason = reasons.get(rule);
        return reason === undefined || (rule.meta.partly === true && reason !== 'disabled');
      }),
    );
    const unread = new Set<Unread>();
    for (const rule of rules) {
      const reason = reasons.get(rule);
      const own = this.#unread(rule);
      if (reason === undefined) for (const each of own) unread.add(each);
      const failed = this.#diagnoseFailures(rule) ? 'rule_error' : undefined;
      const open = reason === undefined || rule.meta.partly === true ? own[0]?.reason : undefined;
      const given = failed ?? (reason === 'disabled' ? reason : (open ?? reason));
      if (given !== undefined) this.#notAssessed.push({ ruleId: rule.id, reason: given });
    }
    const open = new Set(this.#notAssessed.map(({ ruleId }) => ruleId));
    const ran = new Set(rules.flatMap(({ id }) => (open.has(id) ? [] : [id])));
    this.#diagnoseUnread(unread);
    for (const file of this.#repository.files) {
      for (const { severity, message, span } of file.diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE)) {
        this.#diagnose(file.source, severity, message, span);
      }
    }
    for (const { source, diagnostic } of this.#suppressions.diagnostics) {
      const { severity, message, span } = diagnostic;
      this.#diagnose(source, severity, message, span);
    }
    const { findings, suppressed } = this.#identify();
    const omitted = [...this.#listed.omitted(false), ...this.#suppressed.omitted(true)];
    this.#diagnoseOmitted(omitted);
    return {
      ruleset: this.#ruleset,
      findings,
      suppressed,
      omitted,
      notAssessed: this.#notAssessed.sort((a, b) => compareText(a.ruleId, b.ruleId)),
      diagnostics: this.#diagnostics.sort(
        (a, b) => compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
      ),
      files: this.#repository.files.length,
      slsa: assessSlsa({
        repository: this.#repository,
        ruleset: this.#ruleset,
        rules: this.#rules,
        findings,
        notAssessed: this.#notAssessed,
      }),
      unused: this.#unused(ran),
    };
  }

  #unused(ran: ReadonlySet<string>): FileDiagnostic[] {
    if (!this.#suppresses || this.#among !== undefined) return [];
    return this.#suppressions
      .unused(ran, !this.#repository.partial)
      .slice(0, MAX_UNUSED)
      .map(({ source, diagnostic: { severity, message, span } }) => {
        const at = span === undefined ? undefined : source.position(span.start);
        return { file: source.path, line: at?.line ?? null, column: at?.column ?? null, severity, message };
      });
  }

  #missing(rule: Rule): NotAssessedReason | undefined {
    if (this.#disabled.has(rule.id)) return 'disabled';
    for (const need of rule.meta.needs ?? []) {
      const source = this.#context.facts[need === 'commits' || need === 'definitions' ? 'network' : need];
      if (source === undefined) return 'offline';
      if ('missing' in source) return source.missing;
    }
    for (const field of rule.meta.settings ?? []) {
      const source = settingOf(this.#context.facts, field);
      if ('missing' in source) return source.missing;
    }
    return undefined;
  }

  #unread(rule: Rule): readonly Unread[] {
    const { network, published } = this.#context.facts;
    const unread = [network, published].flatMap((source) =>
      source !== undefined && 'value' in source ? (source.value.unread ?? []) : [],
    );
    return unread.filter(({ what }) => rule.meta.needs?.includes(what) === true);
  }

  #diagnoseUnread(unread: ReadonlySet<Unread>): void {
    const all = [...unread];
    const ofPackages = all.filter(({ what }) => what === 'published');
    const ofActions = all.filter(({ what }) => what !== 'published' && what !== 'scores');
    const unknown = new Set(ofActions.flatMap(({ what, name }) => (what === 'network' ? [name] : [])));
    const ofScores = all.filter(({ what, name }) => what === 'scores' && !unknown.has(name));
    this.#diagnoseReasons('The code host did not tell all about the actions used', ofActions);
    this.#diagnoseReasons('Not all actions used were scored', ofScores);
    this.#diagnoseReasons('It is not known of all packages published whether they show provenance', ofPackages);
  }

  #diagnoseReasons(sentence: string, unread: readonly Unread[]): void {
    for (const reason of new Set(unread.map((each) => each.reason))) {
      const names = [...new Set(unread.flatMap((each) => (each.reason === reason ? [each.name] : [])))].sort();
      const message = `${sentence} (${reason}): ${joinFirst(names, MAX_UNREAD_SHOWN)}.`;
      this.#diagnostics.push({
        file: '.',
        line: null,
        column: null,
        severity: 'warning',
        message: redactStart(message, MAX_TEXT_LENGTH),
      });
    }
  }

  #check(rules: readonly Rule[]): void {
    const { workflows, actions, dependabot, lockfile } = this.#repository;
    const table = hookTable(rules);
    const add = (report: Report, rule: Rule, source: SourceFile): void => this.#add(rule, report, source);
    for (const kind of ['workflow', 'action'] as const) {
      const files = (kind === 'workflow' ? workflows : actions)
        .filter(({ source }) => this.#among?.has(source.path) !== false)
        .map(contentsOf);
      for (const hooked of table[kind]) {
        for (const contents of files) {
          try {
            visitFile(hooked, contents, this.#context, add);
          } catch (error) {
            this.#fail(hooked.rule, contents.definition.source, error);
          }
        }
      }
    }
    this.#checkUsedActions(table.action.filter(({ rule }) => rule.meta.inUsedActions === true));
    for (const rule of rules) {
      const { check } = rule;
      const run = <Subject extends object>(
        subject: Subject | undefined,
        source: SourceFile | undefined,
        apply: Check<Subject, string> | undefined,
      ): void => {
        if (subject === undefined || apply === undefined) return;
        if (source !== undefined && this.#among?.has(source.path) === false) return;
        this.#run(rule, source, (report) => {
          for (const each of apply(subject, this.#context)) report(each);
        });
      };
      run(dependabot, dependabot?.source, check.dependabot);
      run(lockfile, undefined, check.lockfile);
      run(this.#repository, undefined, check.repository);
    }
  }

  #checkUsedActions(hooks: readonly HookedRule[]): void {
    for (const [step, action] of this.#repository.usedActions) {
      const source = sourceOf(step);
      if (this.#among?.has(source.path) === false) continue;
      for (const hooked of hooks) {
        const reports: Report[] = [];
        try {
          visitFile(hooked, contentsOf(action), this.#context, (report) => reports.push(report));
        } catch (error) {
          this.#fail(hooked.rule, source, error);
        }
        for (const report of reportsAtUse(reports, step, hooked.rule)) this.#add(hooked.rule, report, source);
      }
    }
  }

  #run(rule: Rule, source: SourceFile | undefined, visit: (report: (report: Report) => void) => void): void {
    try {
      visit((report) => this.#add(rule, report, source ?? sourceOfReport(report)));
    } catch (error) {
      this.#fail(rule, source, error);
    }
  }

  #fail(rule: Rule, source: SourceFile | undefined, error: unknown): void {
    const failures = this.#failures.get(rule) ?? [];
    const message = error instanceof Error ? error.message : 'unknown error';
    this.#failures.set(rule, [...failures, { file: source?.path ?? '.', message }]);
  }

  #add(rule: Rule, reported: Report, source: SourceFile | undefined): void {
    const severity = this.#suppresses ? this.#suppressions.severityOf(rule.id, source) : undefined;
    const report = severity === undefined ? withBarrier(reported, rule, this.#context) : { ...reported, severity };
    const suppressedBy = this.#suppresses ? this.#suppressions.find(rule.id, report, source) : undefined;
    const listing = suppressedBy === undefined ? this.#listed : this.#suppressed;
    listing.add({ rule, report, source, suppressedBy, order: this.#reports });
    this.#reports += 1;
  }

  #diagnoseFailures(rule: Rule): boolean {
    const failures = this.#failures.get(rule) ?? [];
    for (const { file, message } of failures) {
      const text = redactStart(`The rule ${rule.id} failed here: ${message}`, MAX_TEXT_LENGTH);
      this.#diagnostics.push({ file, line: null, column: null, severity: 'error', message: text });
    }
    return failures.length > 0;
  }

  #diagnose(source: SourceFile, severity: 'error' | 'warning', message: string, span: Span | undefined): void {
    const at = span === undefined ? undefined : source.position(span.start);
    this.#diagnostics.push({
      file: source.path,
      line: at?.line ?? null,
      column: at?.column ?? null,
      severity,
      message: redactStart(message, MAX_TEXT_LENGTH),
    });
  }

  #identify(): Pick<ScanResult, 'findings' | 'suppressed'> {
    const located = [...this.#listed.items(), ...this.#suppressed.items()];
    const ordered = located.sort(
      (a, b) =>
        compareText(a.source?.path ?? '', b.source?.path ?? '') ||
        (a.report.span?.start ?? 0) - (b.report.span?.start ?? 0) ||
        compareText(a.rule.id, b.rule.id) ||
        compareText(a.report.message, b.report.message) ||
        a.order - b.order,
    );
    const ordinals = new Map<string, number>();
    const excerpts = new Excerpts();
    const judged = ordered.map((each) => {
      const anchor = anchorAt(each);
      const first = fingerprintOf(anchor, 0);
      const ordinal = ordinals.get(first) ?? 0;
      ordinals.set(first, ordinal + 1);
      const finding = toFinding(each, ordinal === 0 ? first : fingerprintOf(anchor, ordinal), excerpts);
      return { rule: each.rule, report: each.report, finding, suppressed: each.suppressedBy !== undefined };
    });
    const findings: Finding[] = [];
    const suppressed: Suppressed[] = [];
    for (const [index, finding] of assignPersonas(judged).entries()) {
      const by = ordered[index]?.suppressedBy;
      if (by === undefined) findings.push(finding);
      else suppressed.push({ finding, ...by });
    }
    return {
      findings: findings.sort(compareFindings),
      suppressed: suppressed.sort((a, b) => compareFindings(a.finding, b.finding)),
    };
  }

  #diagnoseOmitted(omitted: readonly Omitted[]): void {
    const groups = new Map<string, Omitted[]>();
    for (const each of omitted) {
      const key = `${each.suppressed} ${each.file}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [each]);
      else group.push(each);
    }
    for (const group of groups.values()) this.#diagnostics.push(omissionOf(group, this.#limits));
  }
}

function omissionOf(group: readonly Omitted[], limits: FindingLimits): FileDiagnostic {
  const counts = new Map<string, number>();
  let sum = 0;
  for (const { ruleId, count } of group) {
    counts.set(ruleId, (counts.get(ruleId) ?? 0) + count);
    sum += count;
  }
  const named = [...counts].slice(0, MAX_RULES_SHOWN).map(([ruleId, count]) => `${ruleId} (${count})`);
  if (counts.size > MAX_RULES_SHOWN) named.push(`and ${counts.size - MAX_RULES_SHOWN} more rules`);
  const silent = group[0]?.suppressed === true ? 'suppressed ' : '';
  const what = `${sum} more ${silent}${sum === 1 ? 'finding is' : 'findings are'} not listed: ${named.join(', ')}.`;
  const limit = `A scan lists at most ${limits.ofRuleInFile} findings of a rule in a file and ${limits.ofScan} in all, the most severe first.`;
  return { file: group[0]?.file ?? '.', line: null, column: null, severity: 'warning', message: `${what} ${limit}` };
}

function anchorAt({ rule, report, source }: Located): ReturnType<typeof anchorOf> {
  const offending =
    source !== undefined && report.span !== undefined ? source.text.slice(report.span.start, report.span.end) : '';
  return anchorOf(rule.id, source?.path ?? '', report, offending);
}

function sourceOfReport({ at }: Report): SourceFile | undefined {
  if ('setting' in at) return undefined;
  return at.kind === 'dependabot' || at.kind === 'lockfile' ? at.source : sourceOf(at);
}

function toFinding({ rule, report, source }: Located, fingerprint: string, excerpts: Excerpts): Finding {
  const { meta } = rule;
  const { at, span } = report;
  const placed = source !== undefined && span !== undefined;
  const start = placed ? source.position(span.start) : undefined;
  const end = placed ? source.position(Math.max(span.start, span.end)) : undefined;
  const step = 'kind' in at && at.kind === 'step' ? at : undefined;
  const job = 'kind' in at && at.kind === 'job' ? at : step?.parent.kind === 'job' ? step.parent : undefined;
  const related = relatedPlaces(report, job, source, (file, place) => excerpts.of(file, place.start, place.end));
  return {
    ruleId: rule.id,
    message: report.message,
    severity: report.severity ?? meta.severity,
    confidence: report.confidence ?? meta.confidence,
    category: meta.category,
    title: meta.title,
    file: source?.path ?? null,
    line: start?.line ?? null,
    column: start?.column ?? null,
    endLine: end?.line ?? null,
    endColumn: end?.column ?? null,
    description: describe(messageOf(report, rule), report.data ?? {}),
    recommendation: meta.recommendation,
    snippet: placed ? excerpts.of(source, span.start, span.end) : null,
    fingerprint,
    fixable: report.fix !== undefined,
    fix: report.fix,
    advice: report.advice === undefined ? undefined : redactStart(report.advice, MAX_ADVICE_LENGTH),
    job: job?.id,
    step: step?.index,
    attributes: report.attributes ?? {},
    ...(related.length === 0 ? {} : { related }),
  };
}

function messageOf({ message, within }: Report, { meta }: Rule): string {
  const text = meta.messages[message] ?? meta.title;
  return within === undefined ? text : text.replace(/\.$/, ' in {{within}}.');
}

/**
 * Fills in placeholders. Values are untrusted: truncated, on one line, with credentials redacted. The name of a `secret`
 * is shown in upper case, as GitHub lists it.
 */
function describe(message: string, data: Readonly<Record<string, string>>): string {
  const text = message.replace(/\{\{(\w+)\}\}/g, (_, name: string, at: number) => {
    const given = data[name] ?? '';
    const value = name === 'secret' ? given.toUpperCase() : given;
    const shown = valueText(value);
    // A clause that a rule adds only sometimes brings its own space.
    return shown !== '' && value.startsWith(' ') && /\S$/.test(message.slice(0, at)) ? ` ${shown}` : shown;
  });
  const sentence = text.replace(/^(?:a|an|the) /, (article) => article[0]?.toUpperCase() + article.slice(1));
  return redactStart(sentence, MAX_TEXT_LENGTH);
}

function valueText(value: string): string {
  const start = value.slice(0, MAX_VALUE_READ);
  const text = oneLine(start);
  return text.length > MAX_VALUE_LENGTH
    ? `${oneLine(redactStart(value, MAX_VALUE_READ)).slice(0, MAX_VALUE_LENGTH - 1)}…`
    : text;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
