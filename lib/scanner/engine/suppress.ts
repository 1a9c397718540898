import type { Diagnostic } from '#lib/workflow/text/diagnostic.ts';
import { MAX_DIAGNOSTICS_PER_FILE } from '#lib/workflow/text/limits.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import { type Config, isAbout, readConfig } from './config.ts';
import type { Finding } from './finding.ts';
import type { Report, Severity } from './rule.ts';

export interface Suppressed {
  readonly finding: Finding;
  readonly by: 'comment' | 'config';
  readonly reason: string | null;
}

interface IgnoreComment {
  readonly line: number;
  readonly tool: string;
  readonly rules: ReadonlySet<string>;
  readonly reason: string | null;
}

interface Above {
  readonly comment: IgnoreComment;
  readonly next: Above | undefined;
}

interface Place {
  readonly line: number;
  readonly endLine: number;
  readonly firstLine: number;
}

/** `# chainbreak: ignore[rule-id, other-id] reason`; zizmor's form counts for rule ids that both share. */
const IGNORE = /(?:^|\s)#\s*(chainbreak|zizmor):\s*ignore\[([^\]\n]{1,500})\]\s*([^\n]{0,500})/;
const INCOMPLETE = /(?:^|\s)#\s*chainbreak:\s*ignore\b(?!\[[^\]\n]{1,500}\])/;

const MENTIONED = /(?:chainbreak|zizmor):\s{0,9}ignore/;

class FileSuppressions {
  readonly diagnostics: Diagnostic[] = [];
  readonly #source: SourceFile;
  readonly #byLine = new Map<number, IgnoreComment>();
  readonly #found = new Map<string, { readonly comment: IgnoreComment | undefined }>();
  readonly #used = new Set<string>();
  #aboveLine: (Above | undefined)[] | undefined;

  constructor(source: SourceFile, knownRules: ReadonlySet<string>) {
    this.#source = source;
    if (!MENTIONED.test(source.text)) return;
    for (let line = 1; line <= source.lineCount; line += 1) {
      const text = source.line(line);
      if (!MENTIONED.test(text)) continue;
      const match = IGNORE.exec(text);
      if (match === null) {
        if (INCOMPLETE.test(text))
          this.#warn(line, 'An ignore comment names its rules: "# chainbreak: ignore[rule-id] reason".');
        continue;
      }
      const [, tool, ids = '', reason = ''] = match;
      const rules = ids.split(',').map((id) => id.trim());
      this.#byLine.set(line, {
        line,
        tool: tool ?? '',
        rules: new Set(rules),
        reason: reason.trim() === '' ? null : reason.trim(),
      });
      if (tool !== 'chainbreak') continue;
      for (const rule of rules) {
        if (!knownRules.has(rule)) this.#warn(line, `There is no rule "${rule}" to ignore.`);
      }
    }
  }

  get isEmpty(): boolean {
    return this.#byLine.size === 0;
  }

  #warn(line: number, message: string): void {
    const start = this.#source.offset({ line, column: 1 });
    this.diagnostics.push({
      severity: 'warning',
      message,
      span: { start, end: start + this.#source.line(line).length },
    });
  }

  find(ruleId: string, place: Place): IgnoreComment | undefined {
    const { line, endLine, firstLine } = place;
    const key = `${ruleId} ${firstLine} ${line} ${endLine}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known.comment;
    const comment = this.#find(ruleId, place);
    if (comment !== undefined) this.#used.add(`${comment.line} ${ruleId}`);
    this.#found.set(key, { comment });
    return comment;
  }

  unused(ran: ReadonlySet<string>): { readonly line: number; readonly rule: string }[] {
    return [...this.#byLine.values()].flatMap(({ line, tool, rules }) =>
      tool === 'chainbreak'
        ? [...rules]
            .filter((rule) => ran.has(rule) && !this.#used.has(`${line} ${rule}`))
            .map((rule) => ({ line, rule }))
        : [],
    );
  }

  #find(ruleId: string, { line, endLine, firstLine }: Place): IgnoreComment | undefined {
    const last = Math.max(endLine, line);
    for (const [at, comment] of this.#byLine) {
      if (at >= firstLine && at <= last && comment.rules.has(ruleId)) return comment;
    }
    for (const start of new Set([firstLine, line])) {
      for (let above = this.#above(start); above !== undefined; above = above.next) {
        if (above.comment.rules.has(ruleId)) return above.comment;
      }
    }
    return undefined;
  }

  #above(start: number): Above | undefined {
    if (this.#aboveLine === undefined) {
      this.#aboveLine = [];
      let above: Above | undefined;
      for (let line = 1; line <= this.#source.lineCount; line += 1) {
        this.#aboveLine[line] = above;
        const comment = this.#byLine.get(line);
        if (!/^\s*#/.test(this.#source.line(line))) above = undefined;
        else if (comment !== undefined) above = { comment, next: above };
      }
    }
    return this.#aboveLine[start];
  }
}

export class Suppressions {
  readonly diagnostics: { readonly source: SourceFile; readonly diagnostic: Diagnostic }[] = [];
  readonly #byFile = new Map<SourceFile, FileSuppressions>();
  readonly #config: Config;
  readonly #configFile: SourceFile | undefined;
  readonly #ignoreSpans: readonly Span[];
  readonly #usedEntries = new Set<number>();

  constructor(files: readonly SourceFile[], configFile: SourceFile | undefined, knownRules: ReadonlySet<string>) {
    for (const source of files) {
      const suppressions = new FileSuppressions(source, knownRules);
      this.#byFile.set(source, suppressions);
      for (const diagnostic of suppressions.diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE)) {
        this.diagnostics.push({ source, diagnostic });
      }
    }
    const { config, diagnostics, ignoreSpans = [] } = readConfig(configFile, knownRules);
    this.#config = config;
    this.#configFile = configFile;
    this.#ignoreSpans = ignoreSpans;
    if (configFile === undefined) return;
    for (const diagnostic of diagnostics) this.diagnostics.push({ source: configFile, diagnostic });
  }

  find(ruleId: string, report: Report, source: SourceFile | undefined): Pick<Suppressed, 'by' | 'reason'> | undefined {
    const file = source === undefined ? undefined : this.#byFile.get(source);
    if (file?.isEmpty === false && source !== undefined && report.span !== undefined) {
      const comment = file.find(ruleId, placeOf(source, report, report.span));
      if (comment !== undefined) return { by: 'comment', reason: comment.reason };
    }
    const index = this.#config.ignore?.findIndex(
      ({ rule, path }) => rule === ruleId && isAbout(path, source?.path ?? null),
    );
    const entry = index === undefined ? undefined : this.#config.ignore?.[index];
    if (index === undefined || entry === undefined) return undefined;
    this.#usedEntries.add(index);
    return { by: 'config', reason: entry.reason };
  }

  severityOf(ruleId: string, source: SourceFile | undefined): Severity | undefined {
    const entry = this.#config.severities?.find(
      ({ rule, path }) => rule === ruleId && isAbout(path, source?.path ?? null),
    );
    return entry?.severity.toUpperCase() as Severity | undefined;
  }

  unused(ran: ReadonlySet<string>, whole: boolean): { readonly source: SourceFile; readonly diagnostic: Diagnostic }[] {
    const needless = [...this.#byFile].flatMap(([source, file]) =>
      file.unused(ran).map(({ line, rule }) => {
        const start = source.offset({ line, column: 1 });
        const message = `This comment ignores "${rule}", which reports nothing here.`;
        const diagnostic: Diagnostic = { severity: 'warning', message, span: { start, end: start } };
        return { source, diagnostic };
      }),
    );
    const source = this.#configFile;
    if (source === undefined || !whole) return needless;
    const entries = (this.#config.ignore ?? []).flatMap(({ rule }, index) => {
      if (!ran.has(rule) || this.#usedEntries.has(index)) return [];
      const message = `This entry ignores "${rule}", which reports nothing there.`;
      const span = this.#ignoreSpans[index];
      const diagnostic: Diagnostic = { severity: 'warning', message, ...(span === undefined ? {} : { span }) };
      return [{ source, diagnostic }];
    });
    return [...needless, ...entries];
  }
}

/** A finding inside a script can be suppressed at the `run:` key, since a script cannot contain YAML comments. */
function placeOf(source: SourceFile, { at }: Report, span: Span): Place {
  const { line } = source.position(span.start);
  const endLine = source.position(Math.max(span.start, span.end)).line;
  const run = 'kind' in at && at.kind === 'step' ? at.runSpan : undefined;
  const inScript = run !== undefined && span.start >= run.start && span.end <= run.end;
  return { line, endLine, firstLine: inScript ? source.position(run.start).line : line };
}
