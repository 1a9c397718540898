import { describe, expect, it } from 'vitest';
import { describeNews, newsSince, partsShowing, pulseOf } from './pulse.ts';

const row = (topic: string, total: number, newest: string | null = '2026-11-23 10:00:00+00') => ({
  topic,
  total,
  newest_at: newest,
});

describe('the pulse of an organization', () => {
  it('tells how many rows came, and notices rows that changed in place', () => {
    const before = pulseOf([row('scans', 3), row('triage', 0, null), row('campaigns', 1)]);
    const later = pulseOf([row('scans', 5), row('triage', 0, null), row('campaigns', 1, '2026-11-23 10:00:31+00')]);
    expect(newsSince(before, later)).toEqual({ scans: 2, campaigns: 0 });
    expect(newsSince(later, later)).toEqual({});
  });

  it('leads to what shows a topic, each part once', () => {
    const parts = partsShowing({ scans: 1, triage: 1 });
    expect(parts).toContain('findings');
    expect(new Set(parts).size).toBe(parts.length);
    expect(partsShowing({})).toEqual([]);
    expect(partsShowing({ campaigns: 0 })).not.toContain('findings');
  });

  it('is described in words, a scan without the repository it touches', () => {
    expect(describeNews({})).toBeNull();
    expect(describeNews({ scans: 1, repositories: 0 })).toBe('1 new scan');
    expect(describeNews({ triage: 2 })).toBe('2 new decisions');
    expect(describeNews({ rules: 0, repositories: 1 })).toBe('Rule settings changed, repositories changed');
  });
});
