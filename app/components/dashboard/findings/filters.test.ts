import { describe, expect, it } from 'vitest';
import { type Filters, filtered, groupFilters, isFiltered, UNFILTERED } from './filters.ts';

class Asked {
  readonly steps: string[] = [];
  private note(...parts: readonly unknown[]): this {
    this.steps.push(parts.map(String).join(' '));
    return this;
  }
  eq = (column: string, value: string | boolean) => this.note(column, '=', value);
  is = (column: string, value: null) => this.note(column, 'is', value);
  not = (column: string, operator: 'is', value: null) => this.note(column, 'not', operator, value);
  gte = (column: string, value: string) => this.note(column, '>=', value);
  in = (column: string, values: readonly string[]) => this.note(column, 'in', values.join());
  like = (column: string, value: string) => this.note(column, 'like', value);
}

const asked = (change: Partial<Filters>) => filtered(new Asked(), { ...UNFILTERED, ...change }).steps;
const today = new Date().toISOString().slice(0, 10);

describe('the filters of findings', () => {
  it('show what is open by default, and everything with any status', () => {
    expect(asked({})).toEqual(['status = open']);
    expect(asked({ status: 'any' })).toEqual([]);
    expect(JSON.parse(groupFilters(UNFILTERED))).toEqual({ status: ['open'] });
  });

  it('ask the list and the groups the same', () => {
    const change = { cat: 'CICD-SEC-4', conf: 'low', fix: false, age: 7, sev: ['HIGH'], q: ' ÄB 50% ' } as const;
    const since = expect.stringMatching(/T00:00:00\.000Z$/) as unknown;
    expect(JSON.parse(groupFilters({ ...UNFILTERED, ...change, sev: ['HIGH'] }))).toEqual({
      status: ['open'],
      severity: ['HIGH'],
      category: ['CICD-SEC-4'],
      confidence: ['low'],
      fixable: false,
      since,
      q: 'ÄB 50%',
    });
    expect(asked({ ...change, sev: ['HIGH'] })).toEqual([
      'status = open',
      'severity in HIGH',
      'category = CICD-SEC-4',
      'confidence = low',
      'fixable = false',
      expect.stringMatching(/^first_seen_at >= .*T00:00:00\.000Z$/),
      'search_text like %Äb 50\\%%%%%%%',
    ]);
  });

  it('begin an age at the start of a day, at least that long ago', () => {
    const [, since = ''] = asked({ age: 1 });
    const days = (Date.parse(`${today}T00:00:00Z`) - Date.parse(since.slice('first_seen_at >= '.length))) / 86_400_000;
    expect(days).toBe(1);
  });

  it('tell what was fixed from what the last scan did not look for', () => {
    expect(asked({ seen: 'fixed' })).toEqual(['present = false', 'resolved_at not is null', 'status = open']);
    expect(asked({ seen: 'missed' })).toEqual(['present = false', 'resolved_at is null', 'status = open']);
  });

  it('count as set when they differ from the default', () => {
    expect(isFiltered(UNFILTERED)).toBe(false);
    for (const change of [{ cat: 'CICD-SEC-4' }, { conf: 'low' }, { age: 7 }, { seen: 'fixed' }, { q: 'a' }] as const) {
      expect(isFiltered({ ...UNFILTERED, ...change }), JSON.stringify(change)).toBe(true);
    }
  });
});
