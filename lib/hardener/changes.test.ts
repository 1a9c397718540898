import { describe, expect, it } from 'vitest';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { Changes } from './changes.ts';

function replace(changes: Changes, text: string, category: Category): void {
  changes.advance([{ span: { start: 0, end: changes.text.length }, text }], category, 'some-rule');
}

const RULES = { ruleIds: ['some-rule'] };

describe('Changes', () => {
  it('keeps edits on their lines', () => {
    const changes = new Changes('a\nb\nc\n');
    const edits = [
      { span: { start: 0, end: 0 }, text: 'x\n' },
      { span: { start: 2, end: 4 }, text: '' },
      { span: { start: 5, end: 5 }, text: '!' },
    ];
    changes.advance(edits, 'CICD-SEC-4', 'some-rule');
    expect(changes.text).toBe('x\na\nc!\n');
    expect(changes.hunks()).toEqual([
      { ...RULES, category: 'CICD-SEC-4', oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 },
      { ...RULES, category: 'CICD-SEC-4', oldStart: 2, oldLines: 2, newStart: 3, newLines: 1 },
    ]);
  });

  it('gives each changed line to one category', () => {
    const changes = new Changes('a\nb\nc\nd\n');
    replace(changes, 'a\nB\nc\nd\n', 'CICD-SEC-3');
    replace(changes, 'new\na\nB\nC\nd\n', 'CICD-SEC-5');
    expect(changes.hunks()).toEqual([
      { ...RULES, category: 'CICD-SEC-5', oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 },
      { ...RULES, category: 'CICD-SEC-3', oldStart: 2, oldLines: 1, newStart: 3, newLines: 1 },
      { ...RULES, category: 'CICD-SEC-5', oldStart: 3, oldLines: 1, newStart: 4, newLines: 1 },
    ]);
  });

  it('assigns a line changed by two categories to the first', () => {
    const changes = new Changes('a\nb\n');
    replace(changes, 'a\nB\n', 'CICD-SEC-3');
    replace(changes, 'a\nB!\n', 'CICD-SEC-6');
    expect(changes.hunks()).toEqual([
      { ...RULES, category: 'CICD-SEC-3', oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 },
    ]);
  });

  it('lists all rules that changed a line, and separates changes of different categories', () => {
    const changes = new Changes('a\nb\nc\nd\n');
    const at = (line: string, text: string) => {
      const start = changes.text.indexOf(line);
      return [{ span: { start, end: start + line.length }, text }];
    };
    changes.advance(at('b', 'B'), 'CICD-SEC-3', 'first');
    changes.advance(at('c', 'C\nC'), 'CICD-SEC-6', 'second');
    changes.advance(at('B', 'B!'), 'CICD-SEC-6', 'third');
    changes.advance(at('d', ''), 'CICD-SEC-6', 'fourth');
    expect(changes.hunks()).toEqual([
      { category: 'CICD-SEC-3', ruleIds: ['first', 'third'], oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 },
      { category: 'CICD-SEC-6', ruleIds: ['fourth', 'second'], oldStart: 3, oldLines: 2, newStart: 3, newLines: 3 },
    ]);
  });

  it('drops a change that another one reverts', () => {
    const changes = new Changes('a\nb\n');
    replace(changes, 'a\nB\n', 'CICD-SEC-3');
    replace(changes, 'a\nb\n', 'CICD-SEC-3');
    expect(changes.hunks()).toEqual([]);
    expect(changes.unified('f.yml')).toBe('');
  });

  it('prints a unified diff, also without a final line break', () => {
    const changes = new Changes('1\n2\n3\n4\n5\n6\n7\n8\n9');
    replace(changes, '1\n2\n3\n4\n5\n6\n7\n8\n9 # x', 'CICD-SEC-3');
    expect(changes.unified('f.yml')).toBe(
      '--- a/f.yml\n+++ b/f.yml\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+9 # x\n\\ No newline at end of file\n',
    );
  });

  it('names the rules behind each hunk on request', () => {
    const changes = new Changes('1\n2\n');
    changes.advance([{ span: { start: 0, end: 1 }, text: 'x' }], 'CICD-SEC-4', 'template-injection');
    changes.advance([{ span: { start: 2, end: 3 }, text: 'y' }], 'CICD-SEC-3', 'unpinned-uses');
    expect(changes.unified('f.yml', true)).toContain('\n@@ -1,2 +1,2 @@ template-injection, unpinned-uses\n');
  });

  it('maps lines back to the original', () => {
    const changes = new Changes('a\nb\n');
    replace(changes, 'x\ny\na\nb\n', 'CICD-SEC-5');
    expect([1, 3, 4].map((line) => changes.originalLine(line))).toEqual([1, 1, 2]);
  });
});
