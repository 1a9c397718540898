import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';

const files = readdirSync('lib/scanner/rules')
  .filter((name) => name.endsWith('.ts') && !['all.ts', 'index.ts'].includes(name) && !name.endsWith('.test.ts'))
  .map((name) => name.replace(/\.ts$/, ''));

describe('the registry of rules', () => {
  it('lists every file once, in alphabetical order, under the id in its name', () => {
    expect(rules.map(({ id }) => id)).toEqual([...files].sort());
  });

  it.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s has all the texts that readers need',
    (id, { meta, examples, check }) => {
      expect(id).toMatch(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
      expect(examples.bad.length).toBeGreaterThan(0);
      expect(examples.good.length).toBeGreaterThan(0);
      expect(Object.keys(check).length).toBeGreaterThan(0);
      expect(meta.title).toMatch(/[^.]$/);
      for (const text of [meta.why, meta.attack, meta.recommendation, meta.limits])
        expect(text).toMatch(/^[^]{20,}[.!?]$/);
      for (const message of Object.values(meta.messages)) expect(message).toMatch(/(?:\.|\}\})$/);
      expect(meta.references.length).toBeGreaterThan(0);
      for (const reference of meta.references) expect(reference).toMatch(/^https:\/\//);
      expect(meta.since).toMatch(/^\d+\.\d+\.\d+$/);
      expect(meta.category).toMatch(/^CICD-SEC-(?:[1-9]|10)$/);
    },
  );

  it('requires settings rules to declare their surface and needs', () => {
    for (const { meta } of rules) {
      if (meta.surface === 'repo-settings') expect(meta.needs).toContain('settings');
      expect(meta.settings !== undefined).toBe(meta.needs?.includes('settings') ?? false);
    }
    expect(rules.some(({ meta }) => meta.needs === undefined)).toBe(true);
  });
});
