import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { hardenFile } from '#lib/hardener/harden.ts';
import { createRepository } from '#lib/workflow/repository.ts';

const PATH = '.github/workflows/ci.yml';
const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-06-15T12:00:00Z');
const [OLD, NEW] = ['1'.repeat(40), '2'.repeat(40)];

function harden(ref: string, days: number | undefined) {
  const text = `on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/download-artifact@${ref}\n`;
  const tags = new Map([
    ['v4.1.2', OLD],
    ['v4.1.3', NEW],
    ['v4', NEW],
  ]);
  const dates = new Map(days === undefined ? [] : [[NEW, NOW - days * DAY] as const]);
  const actions = new Map([['actions/download-artifact', { branches: new Map(), tags, dates }]]);
  const facts = { ...NO_FACTS, network: { value: { at: NOW, actions } } };
  const result = hardenFile(createRepository([{ path: PATH, text }]), PATH, { facts, includeReview: true });
  const reason = result.refused.find(({ ruleId }) => ruleId === 'known-vulnerable-actions')?.reason;
  return { uses: /download-artifact@(.*)/.exec(result.after)?.[1], reason };
}

describe('a fix to another release', () => {
  it.each([6.9, 0, -1])('waits while the release is %s days old, and says so', (days) => {
    for (const ref of ['v4.1.2', `${OLD} # v4.1.2`]) {
      const { uses, reason } = harden(ref, days);
      expect(uses).toBe(`${OLD} # v4.1.2`);
      expect(reason).toMatch(/^Release 4\.1\.3 of actions\/download-artifact is \d days? old\. .* at least 7 days old/);
    }
  });

  it.each([7, 400, undefined])('is made if the release is %s days old', (days) => {
    expect(harden(`${OLD} # v4.1.2`, days)).toEqual({ uses: `${NEW} # v4.1.3`, reason: undefined });
  });

  it('does not pin what a tag resolves to already', () => {
    expect(harden('v4', 1)).toEqual({ uses: `${NEW} # v4.1.3`, reason: undefined });
  });

  it('does not cross major versions', () => {
    const path = '.github/workflows/ci.yml';
    const text =
      'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: dawidd6/action-download-artifact@v5\n';
    const { after, refused } = hardenFile(createRepository([{ path, text }]), path, { includeReview: true });
    expect(after).toContain('action-download-artifact@v5\n');
    expect(refused.find(({ ruleId }) => ruleId === 'known-vulnerable-actions')?.reason).toMatch(
      /another major version/,
    );
  });
});
