import type { Diagnostic } from '#lib/workflow/text/diagnostic.ts';
import { MAX_DIAGNOSTICS_PER_FILE } from '#lib/workflow/text/limits.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import { type Config, readConfig } from './config.ts';
import type { Finding } from './finding.ts';
import type { Report } from './rule.ts';

export interface Suppressed {
  readonly finding: Finding;
  readonly by: 'comment' | 'config';
  readonly reason: string | null;
}

interface IgnoreComment {
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
      this.#byLine.set(line, { rules: new Set(rules), reason: reason.trim() === '' ? null : reason.trim() });
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
    this.#found.set(key, { comment });
    return comment;
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

  constructor(files: readonly SourceFile[], configFile: SourceFile | undefined, knownRules: ReadonlySet<string>) {
    for (const source of files) {
      const suppressions = new FileSuppressions(source, knownRules);
      this.#byFile.set(source, suppressions);
      for (const diagnostic of suppressions.diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE)) {
        this.diagnostics.push({ source, diagnostic });
      }
    }
    const { config, diagnostics } = readConfig(configFile, knownRules);
    this.#config = config;
    if (configFile === undefined) return;
    for (const diagnostic of diagnostics) this.diagnostics.push({ source: configFile, diagnostic });
  }

  find(ruleId: string, report: Report, source: SourceFile | undefined): Pick<Suppressed, 'by' | 'reason'> | undefined {
    const file = source === undefined ? undefined : this.#byFile.get(source);
    if (file?.isEmpty === false && source !== undefined && report.span !== undefined) {
      const comment = file.find(ruleId, placeOf(source, report, report.span));
      if (comment !== undefined) return { by: 'comment', reason: comment.reason };
    }
    const entry = findIgnoreEntry(this.#config, ruleId, source?.path ?? null);
    return entry === undefined ? undefined : { by: 'config', reason: entry.reason };
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

function findIgnoreEntry(config: Config, ruleId: string, file: string | null): { readonly reason: string } | undefined {
  return config.ignore?.find(({ rule, path }) => {
    if (rule !== ruleId) return false;
    if (path === undefined) return true;
    if (file === null) return false;
    return path.endsWith('/') ? file.startsWith(path) : file === path;
  });
}
