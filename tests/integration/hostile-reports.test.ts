import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { toGithub } from '#lib/report/github.ts';
import { toJson } from '#lib/report/json.ts';
import { toMarkdown } from '#lib/report/markdown.ts';
import { createReport, type Report } from '#lib/report/report.ts';
import { withoutCommands } from '#lib/report/runner-commands.ts';
import { toSarif } from '#lib/report/sarif.ts';
import { toTerminal } from '#lib/report/terminal.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { FileDiagnostic } from '#lib/scanner/engine/scan.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { effort } from '../support/effort.ts';
import { commandsIn } from '../support/runner.ts';

const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '::',
        '##[',
        '##',
        '[',
        ']',
        '](',
        '(',
        ')',
        ':',
        '#',
        'error',
        'set-output name=x',
        'vso[',
        '%0A',
      ),
      fc.constantFrom(
        '\n',
        '\r',
        '\t',
        ' ',
        '\u0085',
        '\u00A0',
        '\u2028',
        '\u3000',
        '\uFEFF',
        '\u001B[2J',
        '\u009B',
        '\u202E',
      ),
      fc.constantFrom(
        '`',
        '```',
        '<b>',
        '<!--',
        '&lt;',
        '*',
        '_',
        '|',
        '~~',
        '\\',
        '![',
        '# ',
        '- ',
        '1. ',
        '> ',
        '=',
        '---',
      ),
      fc.constantFrom(
        'https://',
        'www.',
        'evil.example',
        '/a',
        'mail@',
        '@',
        'admin',
        '[a]: /b',
        '$',
        '{',
        '}',
        'a',
        'b c',
      ),
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

const finding: fc.Arbitrary<Finding> = fc.record({
  ruleId: fc.constantFrom(...rules.slice(0, 5).map(({ id }) => id)),
  severity: fc.constantFrom('HIGH', 'MEDIUM', 'LOW', 'INFO'),
  confidence: fc.constantFrom('high', 'low'),
  category: fc.constant('CICD-SEC-4'),
  title: fc.constant('A title'),
  file: fc.option(hostile),
  line: fc.constant(3),
  column: fc.constant(2),
  endLine: fc.constant(4),
  endColumn: fc.constant(5),
  description: hostile,
  recommendation: hostile,
  snippet: hostile,
  fingerprint: fc.constant('f'),
  fixable: fc.boolean(),
  related: fc.array(
    fc.record({
      file: hostile,
      line: fc.nat(),
      column: fc.nat(),
      endLine: fc.nat(),
      endColumn: fc.nat(),
      note: hostile,
    }),
    { maxLength: 2 },
  ),
  message: hostile,
  fix: fc.constant(undefined),
  advice: fc.constant(undefined),
  job: fc.constant(undefined),
  step: fc.constant(undefined),
  attributes: fc.constant({}),
});

const diagnostic: fc.Arbitrary<FileDiagnostic> = fc.record({
  file: hostile,
  line: fc.option(fc.nat()),
  column: fc.option(fc.nat()),
  severity: fc.constantFrom('error', 'warning'),
  message: hostile,
});

const report: fc.Arbitrary<Report> = fc
  .record({
    root: fc.oneof(fc.constant('.'), hostile),
    findings: fc.array(finding, { minLength: 1, maxLength: 4 }),
    suppressed: fc.array(fc.record({ finding, by: fc.constant('comment' as const), reason: fc.option(hostile) }), {
      maxLength: 2,
    }),
    diagnostics: fc.array(diagnostic, { maxLength: 3 }),
  })
  .map(({ root, ...result }) =>
    createReport('0.1.0', 'all', [
      { root, result: { ...result, ruleset: 'all', omitted: [], notAssessed: [], files: 1, slsa: [] } },
    ]),
  );

const NAMES = ['message', 'file', 'root', 'reason', 'note'];

function withoutPayload(report: Report, keys: readonly string[]): Report {
  const harmless = (key: string, value: unknown): unknown =>
    keys.includes(key) && typeof value === 'string' && value !== '.' ? 'x' : value;
  return JSON.parse(JSON.stringify(report), harmless) as Report;
}

const RUNS = effort(150, 2_000);

describe('for any text in a repository', () => {
  it('a log without commands has none', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(commandsIn(withoutCommands(text), { anyName: true })).toEqual([]);
      }),
      effort(2_000, 50_000),
    );
  });

  it.each([
    ['text', (each: Report) => toTerminal(each, { color: false, width: 100, verbose: true })],
    ['Markdown', toMarkdown],
    ['JSON', toJson],
    ['SARIF', toSarif],
  ])('%s gives no command and hides no character', (_, write) => {
    fc.assert(
      fc.property(report, (each) => {
        const output = write(each);
        expect(commandsIn(output, { anyName: true })).toEqual([]);
        expect(output).not.toMatch(HIDDEN);
      }),
      RUNS,
    );
  });

  it('text and Markdown have as many lines as for ordinary text', () => {
    fc.assert(
      fc.property(report, (each) => {
        const harmless = withoutPayload(each, NAMES);
        const count = (text: string) => text.split('\n').length;
        expect(count(toMarkdown(each))).toBe(count(toMarkdown(harmless)));
        expect(count(toTerminal(each, { color: false, width: 100, verbose: true }))).toBe(
          count(toTerminal(harmless, { color: false, width: 100, verbose: true })),
        );
      }),
      RUNS,
    );
  });

  it('annotations are one command for each finding and diagnostic', () => {
    fc.assert(
      fc.property(report, (each) => {
        const commands = commandsIn(toGithub(each), { anyName: true });
        expect(commands.map(({ name }) => name)).toEqual([
          ...each.findings.map(() => expect.stringMatching(/^(?:error|warning|notice)$/) as string),
          ...each.diagnostics.map(() => 'warning'),
        ]);
        for (const { properties, data } of commands) {
          expect(Object.values(properties).join('') + data).not.toMatch(/\n/);
          expect(Object.values(properties).join('') + data).not.toMatch(HIDDEN);
        }
      }),
      RUNS,
    );
  });

  it('Markdown has no markup that ordinary text does not have', () => {
    const tagsOf = (each: Report): string[] =>
      micromark(toMarkdown(each), {
        extensions: [gfm()],
        htmlExtensions: [gfmHtml()],
        allowDangerousHtml: true,
        allowDangerousProtocol: true,
      }).match(/<[^>]*>/g) ?? [];
    fc.assert(
      fc.property(report, (each) => {
        const harmless = withoutPayload(each, [...NAMES, 'description']);
        expect(tagsOf(each)).toEqual(tagsOf(harmless));
      }),
      RUNS,
    );
  });
});
