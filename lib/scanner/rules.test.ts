import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { applyEdits } from '#lib/workflow/edits/edit.ts';
import type { Finding } from './engine/finding.ts';
import type { Example, Rule } from './engine/rule.ts';
import type { ScanResult } from './engine/scan.ts';
import { rules } from './rules/index.ts';
import { scanRepository } from './scan.ts';
import { repositoryOf } from './testing/example.ts';

const EXAMPLE_PATH = '.github/workflows/example.yml';

function filesOf(example: Example): Record<string, string> {
  return typeof example.yaml === 'string' ? { [EXAMPLE_PATH]: example.yaml } : { ...example.yaml };
}

function scan(rule: Rule, files: Record<string, string>, example: Example): ScanResult {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return scanRepository(repositoryOf(example, inputs), { rules: [rule], facts: example.facts ?? NO_FACTS });
}

function expectations(example: Example): string[] {
  const expected = (example.settings ?? []).map((message) => `- ${message}`);
  for (const [path, text] of Object.entries(filesOf(example))) {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      const [, messages] = /^\s*(?:- )?# expect: (.+?)\s*$/.exec(line) ?? [];
      if (messages === undefined) continue;
      for (const message of messages.split(',')) expected.push(`${path}:${index + 2} ${message.trim()}`);
    }
  }
  return expected.sort();
}

function placeOf(finding: Finding): string {
  return finding.file === null ? `- ${finding.message}` : `${finding.file}:${finding.line} ${finding.message}`;
}

function placesOf(findings: readonly Finding[], example: Example): string[] {
  const graded = new Set(
    expectations(example).map((expected) => / [A-Z]+$/.test(expected) && expected.replace(/ [A-Z]+$/, '')),
  );
  return findings
    .map((finding) => (graded.has(placeOf(finding)) ? `${placeOf(finding)} ${finding.severity}` : placeOf(finding)))
    .sort();
}

function applyFixes(text: string, findings: readonly Finding[], path: string): string {
  const fixes = new Set(findings.flatMap((finding) => (finding.file === path ? (finding.fix ?? []) : [])));
  return applyEdits(
    text,
    [...fixes].flatMap(({ edits }) => edits),
  );
}

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (_, rule) => {
  it.each(rule.examples.bad.map((example, index) => [index + 1, example] as const))(
    'finds exactly what bad example %i marks',
    (_index, example) => {
      const result = scan(rule, filesOf(example), example);
      expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(result.notAssessed).toEqual([]);
      expect(placesOf(result.findings, example)).toEqual(expectations(example));
      expect(result.findings.length).toBeGreaterThan(0);
    },
  );

  it.each(rule.examples.good.map((example, index) => [index + 1, example] as const))(
    'is quiet on good example %i',
    (_index, example) => {
      const result = scan(rule, filesOf(example), example);
      expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(result.notAssessed).toEqual([]);
      expect(result.findings.map(placeOf)).toEqual([]);
    },
  );

  it('finds the same in files with Windows line breaks and a byte order mark', () => {
    for (const example of rule.examples.bad) {
      const files = Object.fromEntries(
        Object.entries(filesOf(example)).map(([path, text]) => [path, `\uFEFF${text.replaceAll('\n', '\r\n')}`]),
      );
      expect(placesOf(scan(rule, files, example).findings, example)).toEqual(expectations(example));
    }
  });

  it('shows every message in a bad example', () => {
    const seen = rule.examples.bad.flatMap((example) =>
      scan(rule, filesOf(example), example).findings.map(({ message }) => message),
    );
    expect([...new Set(seen)].sort()).toEqual(Object.keys(rule.meta.messages).sort());
  });

  it('fills every placeholder of its messages', () => {
    for (const example of rule.examples.bad) {
      for (const { description } of scan(rule, filesOf(example), example).findings) {
        expect(description).not.toMatch(/\{\{|\s{2}|undefined|''/);
        expect(description).toMatch(/\.$/);
      }
    }
  });

  const fixable = rule.examples.bad.filter((example) => example.fixed !== undefined);
  it.runIf(fixable.length > 0).each(fixable)('fixes to exactly the example’s fixed text, once', (example) => {
    const [path = '', text = ''] = Object.entries(filesOf(example))[0] ?? [];
    const fixed = applyFixes(text, scan(rule, filesOf(example), example).findings, path);
    expect(fixed).toBe(example.fixed);
    expect(scan(rule, { ...filesOf(example), [path]: fixed }, example).findings.map(placeOf)).toEqual([]);
    const windows = text.replaceAll('\n', '\r\n');
    const findings = scan(rule, { ...filesOf(example), [path]: windows }, example).findings;
    expect(applyFixes(windows, findings, path)).toBe(example.fixed?.replaceAll('\n', '\r\n'));
  });

  it('offers a fix only where an example shows the result', () => {
    const offered = rule.examples.bad.some((example) =>
      scan(rule, filesOf(example), example).findings.some((finding) => finding.fixable),
    );
    expect(offered).toBe(fixable.length > 0);
  });
});

describe.each(rules.filter(({ when }) => when !== undefined).map((rule) => [rule.id, rule] as const))(
  'the condition of %s on files',
  (_, rule) => {
    const { when: _when, ...always } = rule;
    it('leaves out no file of an example in which it finds something', () => {
      for (const other of rules) {
        for (const example of [...other.examples.bad, ...other.examples.good]) {
          const { findings } = scan(rule, filesOf(example), example);
          expect(findings).toEqual(scan(always, filesOf(example), example).findings);
        }
      }
    });
  },
);
