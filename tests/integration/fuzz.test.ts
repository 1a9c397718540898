import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { effort } from '../support/effort.ts';

function seeds(): string[] {
  const texts = rules.flatMap(({ examples }) =>
    [...examples.bad, ...examples.good].flatMap(({ yaml }) =>
      typeof yaml === 'string' ? [yaml] : Object.values(yaml),
    ),
  );
  const corpus = '.corpus/repos';
  if (!existsSync(corpus)) return texts;
  for (const repository of readdirSync(corpus)) {
    const folder = join(corpus, repository, '.github/workflows');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .slice(0, 3)) {
      texts.push(readFileSync(join(folder, file), 'utf8'));
    }
  }
  return texts;
}

type Mutation = (text: string, at: number, other: string) => string;

const MUTATIONS: readonly Mutation[] = [
  (text, at) => without(text, at, 1),
  (text, at) => without(text, at, 5),
  (text, at) => insert(text, at, lineAt(text, at)),
  (text, at) => insert(text, at, `  ${lineAt(text, at)}`),
  (text, at, other) => insert(text, at, lineAt(other, at)),
  (text, at, other) => insert(text, at, other.slice(at % other.length, (at % other.length) + 300)),
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text, at) => splice(text, at, '${{'),
  (text, at) => splice(text, at, '}}'),
  (text, at) => splice(text, at, '"'),
  (text, at) => splice(text, at, "'"),
  (text, at) => splice(text, at, '\u202E\u200B'),
  (text, at) => splice(text, at, '&a *a '),
  (text, at) => splice(text, at, '${{ github.event.issue.title }}'),
  (text, at) => splice(text, at, '\r\n'),
  (text, at) => splice(text, at, '\t'),
  (text, at) => splice(text, at, ' | '),
  (text, at) => splice(text, at, '`$(x <<EOF'),
  (text, at) => splice(text, at, '{ a: [1, { b: c'),
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('  ', ' '),
];

function lineAt(text: string, at: number): string {
  const lines = text.split('\n');
  return lines[at % lines.length] ?? '';
}

function insert(text: string, at: number, line: string): string {
  const lines = text.split('\n');
  return lines.toSpliced(at % lines.length, 0, line).join('\n');
}

function without(text: string, at: number, count: number): string {
  const lines = text.split('\n');
  return lines.toSpliced(at % lines.length, count).join('\n');
}

function splice(text: string, at: number, piece: string): string {
  const index = at % (text.length + 1);
  return text.slice(0, index) + piece + text.slice(index);
}

function scan(text: string): ScanResult {
  return scanRepository(
    createRepository([
      { path: '.github/workflows/a.yml', text },
      { path: 'action.yml', text },
      { path: '.github/dependabot.yml', text },
      { path: '.github/chainbreak.yml', text },
    ]),
  );
}

describe('whatever the text of a file', () => {
  const texts = seeds();
  const mutated = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat({ max: 100_000 })), { minLength: 1, maxLength: 4 }),
    )
    .map(([text, other, mutations]) => mutations.reduce((current, [mutate, at]) => mutate(current, at, other), text));

  it('no rule fails, places are in the file, and results are deterministic', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const result = scan(text);
        expect(result.notAssessed.filter(({ reason }) => reason === 'rule_error')).toEqual([]);
        const lineCount = text.split('\n').length;
        for (const { line, endLine, column } of result.findings) {
          expect(line === null || (line >= 1 && line <= lineCount && (endLine ?? line) >= line)).toBe(true);
          expect(column === null || column >= 1).toBe(true);
        }
        expect(scan(text)).toEqual(result);
      }),
      effort(100, 400),
    );
  });

  it('any characters are read without an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(scan(text).notAssessed.filter(({ reason }) => reason === 'rule_error')).toEqual([]);
      }),
      effort(100, 300),
    );
  });
});
