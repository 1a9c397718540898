import { describe, expect, it } from 'vitest';
import { Changes } from './changes.ts';

describe('Changes', () => {
  it('gives each changed line to one category', () => {
    const changes = new Changes('a\nb\nc\nd\n');
    changes.advance('a\nB\nc\nd\n', 'CICD-SEC-3');
    changes.advance('new\na\nB\nC\nd\n', 'CICD-SEC-5');
    expect(changes.hunks()).toEqual([
      { category: 'CICD-SEC-5', oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 },
      { category: 'CICD-SEC-3', oldStart: 2, oldLines: 1, newStart: 3, newLines: 1 },
      { category: 'CICD-SEC-5', oldStart: 3, oldLines: 1, newStart: 4, newLines: 1 },
    ]);
  });

  it('leaves a line that two categories change to the first', () => {
    const changes = new Changes('a\nb\n');
    changes.advance('a\nB\n', 'CICD-SEC-3');
    changes.advance('a\nB!\n', 'CICD-SEC-6');
    expect(changes.hunks()).toEqual([{ category: 'CICD-SEC-3', oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 }]);
  });

  it('forgets a change that another one takes back', () => {
    const changes = new Changes('a\nb\n');
    changes.advance('a\nB\n', 'CICD-SEC-3');
    changes.advance('a\nb\n', 'CICD-SEC-3');
    expect(changes.hunks()).toEqual([]);
    expect(changes.unified('f.yml')).toBe('');
  });

  it('prints a unified difference, also without a final line break', () => {
    const changes = new Changes('1\n2\n3\n4\n5\n6\n7\n8\n9');
    changes.advance('1\n2\n3\n4\n5\n6\n7\n8\n9 # x', 'CICD-SEC-3');
    expect(changes.unified('f.yml')).toBe(
      '--- a/f.yml\n+++ b/f.yml\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+9 # x\n\\ No newline at end of file\n',
    );
  });

  it('knows where a line was', () => {
    const changes = new Changes('a\nb\n');
    changes.advance('x\ny\na\nb\n', 'CICD-SEC-5');
    expect([1, 3, 4].map((line) => changes.originalLine(line))).toEqual([1, 1, 2]);
  });
});
