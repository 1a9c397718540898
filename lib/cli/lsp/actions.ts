import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  ErrorCodes,
  LSPErrorCodes,
  type Range,
  ResponseError,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Checkout } from './checkout.ts';
import { diagnosticOf, rangeOf, shownIn } from './diagnostics.ts';
import { type Edits, fixAllEdits, fixEdits, suppressEdits } from './edits.ts';
import type { Settings } from './settings.ts';

export interface Located {
  readonly checkout: Checkout;
  readonly path: string;
  readonly document: TextDocument;
}

interface Editor {
  readonly locate: (uri: string) => Located | undefined;
  readonly settings: () => Settings;
  readonly say: (text: string) => unknown;
}

const FIX_ALL = `${CodeActionKind.SourceFixAll}.chainbreak`;
export const KINDS: readonly string[] = [CodeActionKind.QuickFix, FIX_ALL];

interface Wish {
  readonly uri: string;
  readonly version: number;
  readonly does: 'fix' | 'fix-all' | 'suppress';
  readonly fingerprint?: string;
}

/** Offers fixes and suppressions. Edits are made only on request, since they are verified. */
export class Actions {
  clientResolvesEdits = false;
  clientChecksVersions = false;
  readonly #editor: Editor;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  list({ textDocument, range, context }: CodeActionParams): CodeAction[] {
    const located = this.#editor.locate(textDocument.uri);
    if (located === undefined) return [];
    const { checkout, path, document } = located;
    const wants = (kind: string): boolean =>
      context.only?.some((only) => kind === only || kind.startsWith(`${only}.`)) ?? true;
    const findings = shownIn(path, checkout.scanFile(path), this.#editor.settings());
    const base = { uri: document.uri, version: document.version };
    const actions: CodeAction[] = [];
    if (wants(CodeActionKind.QuickFix)) {
      const here = findings
        .map((finding) => ({ finding, at: rangeOf(finding, document) }))
        .filter(({ at }) => touches(at, range));
      for (const { finding, at } of here) actions.push(...actionsFor(finding, at, base, checkout.folder));
    }
    if (wants(FIX_ALL) && findings.some(({ fix }) => fix?.safety === 'safe')) {
      const data: Wish = { ...base, does: 'fix-all' };
      actions.push({ title: 'Apply all safe fixes of Chainbreak', kind: FIX_ALL, data });
    }
    return this.clientResolvesEdits
      ? actions
      : actions.flatMap((action) => this.#withEdit(action, this.#editsOf(action.data)));
  }

  resolve(action: CodeAction): CodeAction {
    if (!isWish(action.data)) throw new ResponseError(ErrorCodes.InvalidParams, 'Unknown action.');
    const edits = this.#editsOf(action.data);
    if ('refusal' in edits) this.#editor.say(edits.refusal);
    return this.#withEdit(action, edits)[0] ?? action;
  }

  #editsOf({ uri, version, does, fingerprint }: Wish): Edits {
    const located = this.#editor.locate(uri);
    if (located?.document.version !== version) {
      throw new ResponseError(LSPErrorCodes.ContentModified, 'The document has changed.');
    }
    const { checkout, path, document } = located;
    const { repository } = checkout;
    if (does === 'fix-all') return fixAllEdits(repository, path, document);
    const all = checkout.scanFile(path).findings;
    const finding = all.find((each) => each.fingerprint === fingerprint && each.file === path);
    if (finding === undefined) return { refusal: 'The finding is gone.' };
    return does === 'fix'
      ? fixEdits(repository, path, { finding, all, document })
      : suppressEdits(repository, path, finding, document);
  }

  #withEdit(action: CodeAction, found: Edits): CodeAction[] {
    if ('refusal' in found) return [];
    const { uri, version } = action.data as Wish;
    const edits = [...found.edits];
    const edit = this.clientChecksVersions
      ? { documentChanges: [{ textDocument: { uri, version }, edits }] }
      : { changes: { [uri]: edits } };
    return [{ ...action, edit }];
  }
}

function actionsFor(finding: Finding, at: Range, base: Pick<Wish, 'uri' | 'version'>, folder: string): CodeAction[] {
  const { ruleId, fix, fingerprint } = finding;
  const diagnostics = [diagnosticOf(finding, at, folder)];
  const action = (title: string, does: Wish['does']): CodeAction => {
    const data: Wish = { ...base, does, fingerprint };
    return { title, kind: CodeActionKind.QuickFix, diagnostics, data };
  };
  const isSafe = fix?.safety === 'safe';
  const fixing = isSafe ? `Fix ${ruleId}` : `Fix ${ruleId} (can change behaviour: review it)`;
  return [
    ...(fix === undefined ? [] : [{ ...action(fixing, 'fix'), isPreferred: isSafe }]),
    action(`Suppress ${ruleId} here`, 'suppress'),
  ];
}

function isWish(value: unknown): value is Wish {
  const { uri, version, does } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return (
    typeof uri === 'string' && typeof version === 'number' && ['fix', 'fix-all', 'suppress'].includes(String(does))
  );
}

function touches(a: Range, b: Range): boolean {
  return isBefore(a.start, b.end) && isBefore(b.start, a.end);
}

function isBefore(a: Range['start'], b: Range['start']): boolean {
  return a.line < b.line || (a.line === b.line && a.character <= b.character);
}
