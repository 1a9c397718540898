import { expect, it } from 'vitest';
import { toCsv, toMarkdown } from './copied.ts';
import type { FindingRow } from './use-findings.ts';

const row: FindingRow = {
  fingerprint: 'a'.repeat(64),
  repo_id: 'r',
  full_name: 'acme/web',
  rule_id: 'unpinned-uses',
  severity: 'HIGH',
  title: 'Not pinned',
  file: '.github/workflows/ci.yml',
  line: 7,
  fixable: true,
  status: 'false_positive',
  reason: null,
  expires_at: null,
  first_seen_at: '2026-11-20T10:00:00Z',
};

it('copies findings as CSV with a header, quoted where needed', () => {
  expect(toCsv([row, { ...row, title: 'Say "a, b"', file: null, line: null }])).toBe(
    'Severity,Rule,Title,Repository,File,Line,Status,First seen\r\n' +
      'High,unpinned-uses,Not pinned,acme/web,.github/workflows/ci.yml,7,False positive,2026-11-20\r\n' +
      'High,unpinned-uses,"Say ""a, b""",acme/web,,,False positive,2026-11-20\r\n',
  );
});

it.each(['=1+1', '+1', '-1', '@sum(a)', '\t=1'])('copies %j to CSV as text, never as a formula', (file) => {
  expect(toCsv([{ ...row, file }])).not.toMatch(/[,"][=+\-@\t]/);
});

it('keeps each finding on its own line, whatever its file is called', () => {
  const file = 'a\r\nb.yml';
  expect(toCsv([{ ...row, file }]).split('\n')).toHaveLength(3);
  expect(toMarkdown([{ ...row, file }]).split('\n')).toHaveLength(2);
});

it('copies findings as Markdown without mark-up from repositories', () => {
  expect(toMarkdown([row])).toBe('- **High** Not pinned (`unpinned-uses`) in acme/web, `.github/workflows/ci.yml:7`\n');
  const copied = toMarkdown([
    { ...row, full_name: '<img src=x>', title: '[press](https://evil.example)', file: '`a`' },
  ]);
  expect(copied).not.toMatch(/(?<!\\)<img|(?<!\\)\[press\]/);
});
