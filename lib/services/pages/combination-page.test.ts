import { describe, expect, it } from 'vitest';
import { COMBO_SEVERITIES } from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import { incidents } from '#lib/data/curated/incidents.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { combinationsOf, listCombinations, readCombinationPage } from './combination-page.ts';

describe.each(combos.map((combo) => [combo.id, combo] as const))('%s', (id, combo) => {
  const page = readCombinationPage(id);

  it('has its stages in order, and breaks at one of them', () => {
    expect(page?.stages.map(({ title }) => title)).toEqual(combo.stages.map(({ title }) => title));
    const cuts = page?.stages.filter(({ breaks }) => breaks) ?? [];
    expect(cuts).toHaveLength(1);
    expect(cuts[0]?.rules).toEqual(page?.breakRules);
    expect(page?.breakRules.length).toBeGreaterThan(0);
  });

  it('lists each of its rules and facts', () => {
    const named = new Set(page?.needs.flatMap((need) => [...need.rules.map((rule) => rule.id), ...need.facts]));
    const sources = Object.values(combo.slots).flatMap(({ any }) => any);
    expect(named).toEqual(new Set(sources.map((source) => ('rule' in source ? source.rule : source.fact))));
    expect(page?.needs.map(({ optional }) => optional)).toEqual([
      ...(page?.needs.filter(({ optional }) => !optional).map(() => false) ?? []),
      ...(page?.needs.filter(({ optional }) => optional).map(() => true) ?? []),
    ]);
  });

  it('shows the vulnerable examples as a scan does, with severity and place', () => {
    expect(page?.bad.map(({ grade }) => grade)).toEqual(
      combo.examples.bad.map(({ severity }) => severity ?? combo.severity),
    );
    for (const { findings, given, files, grade, mitigatedBy } of page?.bad ?? []) {
      expect(findings.length + given.length).toBeGreaterThan(0);
      for (const { path, line } of findings) {
        if (path !== null) expect(files.find((file) => file.path === path)?.marked).toContain(line);
      }
      expect(mitigatedBy.length > 0).toBe(grade !== combo.severity);
    }
  });

  it('marks nothing in the safe examples', () => {
    expect(
      page?.good.flatMap(({ files, findings }) => [...findings, ...files.flatMap(({ marked }) => marked)]),
    ).toEqual([]);
  });

  it('shows how the first example becomes safe, in its file or beside it', () => {
    const [bad, good] = [page?.bad[0], page?.good[0]];
    const texts = (files: readonly { readonly text: string }[] = []) => files.map(({ text }) => text);
    const sameFiles = JSON.stringify(texts(bad?.files)) === JSON.stringify(texts(good?.files));
    expect(sameFiles).toBe(JSON.stringify(bad?.given) !== JSON.stringify(good?.given));
  });
});

it('lists each combination once, the worst first', () => {
  const rows = listCombinations();
  expect(rows.map(({ id }) => id).sort()).toEqual(combos.map(({ id }) => id));
  const ranks = rows.map(({ severity }) => COMBO_SEVERITIES.indexOf(severity));
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  expect(rows.slice(1).map(({ id }) => readCombinationPage(id)?.previous?.id)).toEqual(
    rows.slice(0, -1).map(({ id }) => id),
  );
  expect(rows.slice(0, -1).map(({ id }) => readCombinationPage(id)?.next?.id)).toEqual(
    rows.slice(1).map(({ id }) => id),
  );
});

it('lists the incidents of each combination, and omits none', () => {
  const told = listCombinations().flatMap(({ id }) => readCombinationPage(id)?.incidents.map((each) => each.id) ?? []);
  expect(told.sort()).toEqual(incidents.map(({ id }) => id).sort());
});

it('returns the combinations of a rule, the most severe first, and of those that it breaks', () => {
  const own = combinationsOf('cache-poisoning');
  expect(own.map(({ id, severity, breaks }) => [id, severity, breaks])).toEqual([
    ['untrusted-run-to-release-cache', 'CRITICAL', true],
    ['provenance-without-isolation', 'HIGH', false],
    ['trusted-writer-to-release-cache', 'MEDIUM', true],
  ]);
  expect(own[0]?.title).toBe('Outsider’s run poisons the cache that a release restores');
  expect(combinationsOf('missing-timeout')).toEqual([]);
  const all = new Set(rules.flatMap(({ id }) => combinationsOf(id).map((each) => each.id)));
  expect(all.size).toBe(combos.length);
});

it('describes findings beyond the files', () => {
  expect(readCombinationPage('forged-pin')?.bad[0]?.given).toEqual([
    expect.stringMatching(/^Reported of job release, step 1, by asking the code host: .+ \(impostor-commit\)$/),
  ]);
  expect(readCombinationPage('ai-approval-automerge')?.bad[0]?.given).toEqual([
    expect.stringMatching(/^Reported of the repository’s settings: .+ \(actions-can-approve-prs\)$/),
  ]);
});

it('returns nothing for an unknown combination', () => {
  for (const id of ['no-such-combination', 'constructor', 'artipacked', ''])
    expect(readCombinationPage(id)).toBeUndefined();
});
