import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSource, type SourceFile } from '#lib/workflow/text/source.ts';
import { effort } from '../../../tests/support/effort.ts';
import { rules } from '../rules/index.ts';
import { SEVERITIES, severityRank } from './finding.ts';
import { type Entry, Listing } from './listing.ts';
import type { Report, Rule, Severity } from './rule.ts';

const RULES = rules.slice(0, 3) as [Rule, Rule, Rule];
const FILES = ['a.yml', 'b.yml'].map((path) => createSource(path, ''));

function entry(order: number, rule: Rule, source: SourceFile | undefined, severity: Severity): Entry {
  const report: Report = { message: 'm', at: { setting: 's' }, severity };
  return { rule, report, source, order };
}

function severityOf({ report, rule }: Entry): Severity {
  return report.severity ?? rule.meta.severity;
}

describe('a listing', () => {
  it('keeps the most severe, the first of those that are as severe, and counts all others', () => {
    const item = fc.record({
      rule: fc.constantFrom(...RULES),
      source: fc.constantFrom(undefined, ...FILES),
      severity: fc.constantFrom(...SEVERITIES),
    });
    const limits = fc.record({ ofRuleInFile: fc.nat(6), ofScan: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 120 }), limits, (given, { ofRuleInFile, ofScan }) => {
        const all = given.map(({ rule, source, severity }, order) => entry(order, rule, source, severity));
        const listing = new Listing({ ofRuleInFile, ofScan });
        for (const each of all) listing.add(each);
        const kept = listing.items();
        const omitted = listing.omitted(false);

        const worstFirst = [...all].sort(
          (a, b) => severityRank(severityOf(a)) - severityRank(severityOf(b)) || a.order - b.order,
        );
        const ofEach = new Map<string, number>();
        const expected = worstFirst.filter(({ rule, source }) => {
          const key = `${rule.id} ${source?.path}`;
          ofEach.set(key, (ofEach.get(key) ?? 0) + 1);
          return (ofEach.get(key) ?? 0) <= ofRuleInFile;
        });
        expect(kept.map(severityOf).sort()).toEqual(expected.slice(0, ofScan).map(severityOf).sort());
        expect(kept.map(({ order }) => order)).toEqual(kept.map(({ order }) => order).sort((a, b) => a - b));
        for (const rule of RULES) {
          for (const source of [undefined, ...FILES]) {
            for (const severity of SEVERITIES) {
              const mine = (each: Entry): boolean =>
                each.rule === rule && each.source === source && severityOf(each) === severity;
              const [had, has] = [all.filter(mine), kept.filter(mine)];
              expect(has, 'the first are kept').toEqual(had.slice(0, has.length));
              const rest = omitted.filter(
                (each) => each.ruleId === rule.id && each.file === (source?.path ?? null) && each.severity === severity,
              );
              expect(rest.map(({ count }) => count)).toEqual(
                had.length === has.length ? [] : [had.length - has.length],
              );
            }
          }
        }
      }),
      effort(300, 3_000),
    );
  });
});
