import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, type Span, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { rules } from '#lib/scanner/rules/index.ts';

const PHRASES = [
  /\b(?:is|are|was|were) told\b/i,
  /\bhangs? (?:together|on what)\b/i,
  /\blook(?:s|ed|ing)? at all\b/i,
  /\bsomebody else['’]s\b/i,
  /(?<!\bthere )\b(?:is|are) none\b/i,
  /\bnobody in particular\b/i,
  /\bwhat becomes of\b/i,
];

const COMMENT_OPENINGS =
  /^(?:Of |By whom\b|What is asked\b|Whether |Nobody |Somebody |Anybody |Whoever |Who may |The same of )/;

interface Text {
  readonly line: number;
  readonly text: string;
}

const GENERATED = new Set(['docs/rules.md', 'docs/paths.md']);

const SCRIPT = /\.(?:ts|tsx|mjs)$/;
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test', 'each', 'skipIf', 'runIf', 'concurrent']);

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort();
}

function lineAt(source: string, { start }: Span): number {
  return source.slice(0, start).split('\n').length;
}

function commentsIn(path: string, source: string): Text[] {
  const found: { line: number; text: string; end: number }[] = [];
  for (const comment of parseSync(path, source).comments) {
    const text = comment.value
      .replace(/^\*/, '')
      .replace(/^[\t ]*\*[\t ]?/gm, '')
      .trim();
    const last = found.at(-1);
    if (comment.type === 'Line' && last !== undefined && source.slice(last.end, comment.start).trim() === '') {
      last.text += ` ${text}`;
      last.end = comment.end;
    } else found.push({ line: lineAt(source, comment), text, end: comment.end });
  }
  return found;
}

function titlesIn(path: string, source: string): Text[] {
  const found: Text[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      let name = callee;
      while (name.type === 'CallExpression') name = name.callee;
      if (name.type === 'MemberExpression') name = name.object;
      if (name.type !== 'Identifier' || !TEST_FUNCTIONS.has(name.name) || title === undefined) return;
      if (title.type === 'Literal' && typeof title.value === 'string')
        found.push({ line: lineAt(source, title), text: title.value });
      if (title.type === 'TemplateLiteral')
        found.push({ line: lineAt(source, title), text: title.quasis.map(({ value }) => value.raw).join('…') });
    },
  }).visit(parseSync(path, source).program);
  return found;
}

function proseIn(markdown: string): Text[] {
  let fenced = false;
  return markdown.split('\n').flatMap((text, index) => {
    if (text.startsWith('```')) fenced = !fenced;
    return fenced ? [] : [{ line: index + 1, text }];
  });
}

function asTexts(texts: readonly string[]): Text[] {
  return texts.map((text) => ({ line: 1, text }));
}

function refused(texts: readonly Text[], patterns: readonly RegExp[], name: string): string[] {
  return texts.flatMap(({ line, text }) => {
    const flat = text.replace(/\s+/g, ' ');
    return patterns.flatMap((pattern) => {
      const hit = pattern.exec(flat);
      return hit === null ? [] : [`${name}:${line}: "${hit[0].trim()}" in: ${flat.slice(0, 160)}`];
    });
  });
}

const sources = ['app', 'editors', 'lib', 'tests'].flatMap((folder) => filesBelow(folder, SCRIPT));

describe('the language of the project', () => {
  it('comments use plain technical English', () => {
    const found = sources.flatMap((path) =>
      refused(commentsIn(path, readFileSync(path, 'utf8')), [...PHRASES, COMMENT_OPENINGS], path),
    );
    expect(found).toEqual([]);
  });

  it('test titles use plain technical English', () => {
    const found = sources
      .filter((path) => path.endsWith('.test.ts'))
      .flatMap((path) => refused(titlesIn(path, readFileSync(path, 'utf8')), PHRASES, path));
    expect(found).toEqual([]);
  });

  it('Markdown uses plain technical English', () => {
    const paths = [
      'README.md',
      ...filesBelow('docs', /\.md$/),
      ...filesBelow('.github', /\.md$/),
      ...filesBelow('lib', /\.md$/),
      ...filesBelow('tests', /\.md$/),
    ].filter((path) => !GENERATED.has(path));
    expect(paths.flatMap((path) => refused(proseIn(readFileSync(path, 'utf8')), PHRASES, path))).toEqual([]);
  });

  it('rules use plain technical English', () => {
    const found = rules.flatMap(({ id, meta }) => {
      const path = `lib/scanner/rules/${id}.ts`;
      const { title, why, attack, recommendation, limits, messages } = meta;
      const texts = [title, why, attack, recommendation, limits, ...Object.values<string>(messages)];
      return refused(asTexts(texts), PHRASES, path);
    });
    expect(found).toEqual([]);
  });

  it('attack paths use plain technical English', () => {
    const found = combos.flatMap(({ id, title, stages, impact, breakChain, modifiers = [] }) => {
      const texts = [
        title,
        impact,
        breakChain.text,
        ...stages.flatMap((stage) => [stage.title, stage.description]),
        ...modifiers.map(({ because }) => because),
      ];
      return refused(
        texts.map((text) => ({ line: 0, text })),
        PHRASES,
        id,
      );
    });
    expect(found).toEqual([]);
  });

  it('recognizes phrases in comments and titles, not in code', () => {
    const source = `
      // Whether it is
      // so.
      const told = 'is told';
      /** Nothing here
       * hangs together. */
      describe.each([1])('what is told', () => {});
    `;
    expect(refused(commentsIn('a.ts', source), [...PHRASES, COMMENT_OPENINGS], 'a.ts')).toHaveLength(2);
    expect(refused(titlesIn('a.ts', source), PHRASES, 'a.ts')).toHaveLength(1);
  });
});
