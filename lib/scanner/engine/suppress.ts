import type { Diagnostic } from '#lib/workflow/text/diagnostic.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import type { Config } from './config.ts';
import type { Finding } from './finding.ts';

export interface Suppressed {
  readonly finding: Finding;
  readonly by: 'comment' | 'config';
  readonly reason: string | null;
}

interface IgnoreComment {
  readonly rules: ReadonlySet<string>;
  readonly reason: string | null;
}

/** `# chainbreak: ignore[rule-id, other-id] reason`; zizmor's form counts for rule ids that both share. */
const IGNORE = /(?:^|\s)#\s*(chainbreak|zizmor):\s*ignore\[([^\]\n]{1,500})\]\s*([^\n]{0,500})/;
const INCOMPLETE = /(?:^|\s)#\s*chainbreak:\s*ignore\b(?!\[[^\]\n]{1,500}\])/;

const MENTIONED = /(?:chainbreak|zizmor):\s{0,9}ignore/;

export class FileSuppressions {
  readonly diagnostics: Diagnostic[] = [];
  readonly #source: SourceFile;
  readonly #byLine = new Map<number, IgnoreComment>();

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

  #warn(line: number, message: string): void {
    const start = this.#source.offset({ line, column: 1 });
    this.diagnostics.push({
      severity: 'warning',
      message,
      span: { start, end: start + this.#source.line(line).length },
    });
  }

  /** Finds a comment between `firstLine` and the finding's end, or directly above. */
  find(finding: Finding, firstLine: number): IgnoreComment | undefined {
    if (this.#byLine.size === 0 || finding.line === null) return undefined;
    const last = Math.max(finding.endLine ?? finding.line, finding.line);
    for (let line = firstLine; line <= last; line += 1) {
      const comment = this.#byLine.get(line);
      if (comment?.rules.has(finding.ruleId) === true) return comment;
    }
    for (const start of new Set([firstLine, finding.line])) {
      for (let line = start - 1; line >= 1 && /^\s*#/.test(this.#source.line(line)); line -= 1) {
        const comment = this.#byLine.get(line);
        if (comment?.rules.has(finding.ruleId) === true) return comment;
      }
    }
    return undefined;
  }
}

export function findIgnoreEntry(config: Config, finding: Finding): { readonly reason: string } | undefined {
  return config.ignore?.find(({ rule, path }) => {
    if (rule !== finding.ruleId) return false;
    if (path === undefined) return true;
    if (finding.file === null) return false;
    return path.endsWith('/') ? finding.file.startsWith(path) : finding.file === path;
  });
}
