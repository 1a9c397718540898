import { describe, expect, it } from 'vitest';
import { ACTION_INTERFACES, type ActionInterfaces } from '#lib/data/generated/action-interfaces.ts';
import type { Uses } from '#lib/workflow/model/model.ts';
import { parseReference } from '#lib/workflow/model/reference.ts';
import { encodeReleases, type KnownInterface, knownInterface } from './action-interface.ts';

function known(uses: string, comment?: string): KnownInterface | undefined {
  return knownInterface({ reference: parseReference(uses), comment } as Uses);
}

describe('the table of interfaces', () => {
  it('decodes to what was encoded, row by row', () => {
    for (const row of ACTION_INTERFACES as readonly ActionInterfaces[]) {
      const tags = row.releases.map((line) => line.split(' | ')[0]?.split(' ') ?? []);
      const releases = tags.map((names) => {
        const found = known(`${row.action}@${names[0]}`);
        if (found === undefined) throw new Error(`${row.action}@${names[0]} is not found`);
        return { tags: names, known: found };
      });
      expect(encodeReleases(releases)).toEqual(row.releases);
    }
  });

  it('distinguishes required inputs, deprecated inputs and outputs', () => {
    const cache = known('Actions/cache/restore@v4');
    expect(cache?.inputs.get('key')).toEqual({ required: true, deprecated: undefined });
    expect(cache?.outputs).toContain('cache-hit');
    expect(known('actions/create-github-app-token@v3')?.inputs.get('app-id')?.deprecated).toContain('client-id');
  });

  it.each([
    ['actions/checkout@v6', undefined, 'moving', 'v6'],
    ['actions/checkout@v6.1', undefined, 'moving', 'v6.1'],
    ['actions/checkout@v6.0', undefined, 'older', 'v6.1.0'],
    ['actions/checkout@v6.9', undefined, 'newer', 'v6.9'],
    ['actions/checkout@v6.0.0', undefined, 'older', 'v6.1.0'],
    ['actions/checkout@v6.1.0', undefined, 'same', 'v6.1.0'],
    [`actions/checkout@${'0'.repeat(40)}`, 'v6.99.1', 'newer', 'v6.99.1'],
    [`actions/checkout@${'0'.repeat(40)}`, undefined, undefined, undefined],
    ['actions/checkout@main', undefined, undefined, undefined],
    ['actions/checkout@v99', undefined, undefined, undefined],
    ['acme/unknown@v1', undefined, undefined, undefined],
  ])('compares %s (%s) with the release in the table: %s, shown as %s', (uses, comment, used, tag) => {
    const found = known(uses, comment);
    expect([found?.used, found?.tag]).toEqual([used, tag]);
  });
});
