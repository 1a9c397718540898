import { describe, expect, it } from 'vitest';
import type { Example } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { readExample } from '#lib/scanner/testing/example.ts';
import { readRulePage } from './rule-page.ts';

function marksOf({ yaml }: Example): number[][] {
  return Object.values(typeof yaml === 'string' ? { file: yaml } : yaml).map((text) => [...readExample(text).marked]);
}

const inAnyOrder = (values: readonly unknown[] = []) => values.map((value) => JSON.stringify(value)).sort();

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const page = readRulePage(id);

  it('marks the lines that a scan of the example reports', () => {
    const shown = page?.bad.map(({ files }) => files.map(({ marked }) => [...new Set(marked)].sort((a, b) => a - b)));
    expect(inAnyOrder(shown)).toEqual(inAnyOrder(rule.examples.bad.map(marksOf)));
  });

  it('describes each vulnerable example, and not the others', () => {
    expect(page?.bad.every(({ findings }) => findings.length > 0)).toBe(true);
    expect(page?.good.flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('hides test markers', () => {
    const { meta: _, ...shown } = page ?? {};
    expect(JSON.stringify(shown)).not.toContain('# expect');
  });

  it('shows each fix', () => {
    const fixes = (examples: readonly { readonly fixed?: unknown }[] = []) =>
      examples.filter(({ fixed }) => fixed !== undefined).length;
    expect(fixes(page?.bad)).toBe(fixes(rule.examples.bad));
  });
});

it('links the previous and next rule of the catalog', () => {
  expect(rules.slice(1).map(({ id }) => readRulePage(id)?.previous?.id)).toEqual(
    rules.slice(0, -1).map(({ id }) => id),
  );
  expect(rules.slice(0, -1).map(({ id }) => readRulePage(id)?.next?.id)).toEqual(rules.slice(1).map(({ id }) => id));
  expect(readRulePage(rules[0]?.id ?? '')?.previous).toBeUndefined();
});

it('describes facts beyond the files', () => {
  expect(readRulePage('actions-can-approve-prs')?.bad[0]?.given).toEqual([
    'Repository settings, workflow token: default read, can approve pull requests yes',
  ]);
  expect(readRulePage('ref-version-mismatch')?.bad[0]?.given).toContainEqual(
    expect.stringMatching(/^acme\/deploy: tag v1\.0\.0 is commit 1{40}$/),
  );
});

it('calls a rule fixed automatically when one of its fixes is made without being asked for', () => {
  expect(readRulePage('unpinned-uses')?.fix).toBe('safe');
  expect(readRulePage('artipacked')?.fix).toBe('safe');
  expect(readRulePage('unpinned-images')?.fix).toBe('review');
  expect(readRulePage('branch-history-mutable')?.fix).toBe('none');
});

it('lists the incidents of the rule', () => {
  expect(readRulePage('compromised-action-ref')?.incidents.map(({ id }) => id)).toContain('tj-actions-2025');
  expect(readRulePage('missing-timeout')?.incidents).toEqual([]);
});

it('returns nothing for an unknown rule', () => {
  expect(readRulePage('no-such-rule')).toBeUndefined();
  expect(readRulePage('constructor')).toBeUndefined();
});
