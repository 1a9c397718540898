import type { TextEdit as DocumentEdit } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { replaceText } from '#lib/analysis/incremental/replace-text.ts';
import { hardenFile } from '#lib/hardener/harden.ts';
import type { HardenedFile, HardenOptions } from '#lib/hardener/hardening.ts';
import { findDamage } from '#lib/hardener/verify.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { applyEdits, type TextEdit } from '#lib/workflow/edits/edit.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository, RepositoryFile } from '#lib/workflow/model/repository.ts';

const MAX_MS = 2_000;

export type Edits = { readonly edits: readonly DocumentEdit[] } | { readonly refusal: string };

export function fixEdits(
  repository: Repository,
  path: string,
  {
    finding,
    all,
    document,
  }: { readonly finding: Finding; readonly all: readonly Finding[]; readonly document: TextDocument },
): Edits {
  const others = all.filter(({ fingerprint }) => fingerprint !== finding.fingerprint);
  return harden(repository, path, document, {
    chosenRules: new Set([finding.ruleId]),
    except: new Set(others.map(({ fingerprint }) => fingerprint)),
    includeReview: finding.fix?.safety === 'review',
  });
}

export function fixAllEdits(repository: Repository, path: string, document: TextDocument): Edits {
  return harden(repository, path, document, {});
}

function harden(repository: Repository, path: string, document: TextDocument, options: HardenOptions): Edits {
  const end = performance.now() + MAX_MS;
  const result = hardenFile(repository, path, { ...options, mayGoOn: () => performance.now() < end });
  if (result.before === result.after) {
    return { refusal: result.refused[0]?.reason ?? 'The fix would change nothing.' };
  }
  return { edits: hunksOf(result, document) };
}

function hunksOf({ before, after, hunks }: HardenedFile, document: TextDocument): DocumentEdit[] {
  const [old, fresh] = [startsOf(before), startsOf(after)];
  const spanOf = (starts: readonly number[], line: number, count: number): [number, number] => {
    const first = count === 0 ? line : line - 1;
    return [starts[first] ?? 0, starts[first + count] ?? 0];
  };
  return hunks.map(({ oldStart, oldLines, newStart, newLines }) => {
    const [start, end] = spanOf(old, oldStart, oldLines);
    const newText = after.slice(...spanOf(fresh, newStart, newLines));
    return { range: { start: document.positionAt(start), end: document.positionAt(end) }, newText };
  });
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (const line of text.split(/(?<=\n)/)) starts.push((starts.at(-1) ?? 0) + line.length);
  return starts;
}

export function suppressEdits(repository: Repository, path: string, finding: Finding, document: TextDocument): Edits {
  const before = repository.files.find(({ source }) => source.path === path);
  if (before === undefined) return { refusal: 'The file was closed.' };
  for (const edit of commentsFor(before, finding)) {
    const changed = replaceText(repository, path, applyEdits(before.source.text, [edit]));
    const after = changed.files.find(({ source }) => source.path === path);
    if (after === undefined || findDamage(before, after, [edit]) !== undefined) continue;
    const rule = rules.filter(({ id }) => id === finding.ruleId);
    const { suppressed } = scanRepository(changed, { among: new Set([path]), rules: rule });
    if (!suppressed.some(({ finding: { fingerprint } }) => fingerprint === finding.fingerprint)) continue;
    const at = document.positionAt(edit.span.start);
    return { edits: [{ range: { start: at, end: at }, newText: edit.text }] };
  }
  return { refusal: 'No comment fits here. Suppress it in .github/chainbreak.yml.' };
}

function* commentsFor({ source, definition }: RepositoryFile, { ruleId, line }: Finding): Generator<TextEdit> {
  if (line === null) return;
  const comment = `# chainbreak: ignore[${ruleId}]`;
  const end = /\r\n/.test(source.text) ? '\r\n' : '\n';
  const isRunnable = definition?.kind === 'workflow' || definition?.kind === 'action';
  const script = (isRunnable ? stepsOf(definition) : []).find(
    ({ runSpan }) =>
      runSpan !== undefined && source.position(runSpan.start).line <= line && source.position(runSpan.end).line >= line,
  );
  const first = script?.runSpan === undefined ? line : source.position(script.runSpan.start).line;
  for (const at of new Set([first, line])) {
    const start = source.offset({ line: at, column: 1 });
    const indent = /^ */.exec(source.line(at))?.[0] ?? '';
    yield { span: { start, end: start }, text: `${indent}${comment}${end}` };
  }
  const stop = source.offset({ line, column: source.line(line).length + 1 });
  yield { span: { start: stop, end: stop }, text: ` ${comment}` };
}
