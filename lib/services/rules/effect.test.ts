import { describe, expect, it } from 'vitest';
import { effectOf, type JudgedRepository, type KnownPath } from './effect.ts';
import { listPathKinds } from './path-kinds.ts';

const kinds = listPathKinds();
const TITLES = new Map(kinds.map(({ id, title }) => [id, title]));

function repository(id: string, off: readonly string[], change: Partial<JudgedRepository> = {}): JudgedRepository {
  return { id, notAssessed: [], offBefore: new Set(), offAfter: new Set(off), ...change };
}

const shell: KnownPath = {
  kind: 'event-text-to-shell-with-credentials',
  repoId: 'a',
  rules: ['template-injection', 'excessive-permissions'],
};

describe('switching a rule off', () => {
  it('ends the paths whose conditions only it fills, in the repositories where it is off', () => {
    const effect = (rule: string, repoId = 'a') => effectOf(kinds, [repository(repoId, [rule])], [shell]).paths;
    expect(effect('template-injection')).toBe(1);
    expect(effect('template-injection', 'b')).toBe(0);
    expect(effect('artipacked')).toBe(0);
  });

  it('does not end a path for a finding that only makes it worse', () => {
    expect(effectOf(kinds, [repository('a', ['excessive-permissions'])], [shell]).paths).toBe(0);
  });

  it('blinds the kinds of path that need it, and no kind that another rule can show', () => {
    const needing = (rule: string) =>
      kinds
        .filter(({ slots }) =>
          Object.values(slots).some(({ any }) => any.every((source) => 'rule' in source && source.rule === rule)),
        )
        .map(({ title }) => title);
    const { kinds: blinded, repositories } = effectOf(
      kinds,
      ['a', 'b'].map((id) => repository(id, ['template-injection'])),
      [],
    );
    expect(blinded).toContain(TITLES.get('event-text-to-shell-with-credentials'));
    expect(blinded).toEqual(needing('template-injection'));
    expect(repositories).toBe(2);
  });

  it('takes nothing away that was off, or not assessed, before', () => {
    const off = new Set(['template-injection']);
    const nothing = { paths: 0, kinds: [], repositories: 0 };
    expect(effectOf(kinds, [repository('a', [], { offBefore: off, offAfter: off })], [shell])).toEqual(nothing);
    const unassessed = repository('a', ['template-injection'], { notAssessed: ['template-injection'] });
    expect(effectOf(kinds, [unassessed], [])).toEqual(nothing);
  });

  it('counts two alternatives of one condition as lost only when both are off', () => {
    const [kind, pair] =
      kinds
        .flatMap((each) => Object.values(each.slots).map(({ any }) => [each, any] as const))
        .find(([, any]) => any.length === 2 && any.every((source) => 'rule' in source)) ?? [];
    const [first = '', second = ''] = (pair ?? []).flatMap((source) => ('rule' in source ? [source.rule] : []));
    const path: KnownPath = { kind: kind?.id ?? '', repoId: 'a', rules: [first, second] };
    const effect = (off: readonly string[]) => effectOf(kinds, [repository('a', off)], [path]);
    expect(effect([first]).paths).toBe(0);
    expect(effect([first]).kinds).not.toContain(kind?.title);
    expect(effect([first, second]).paths).toBe(1);
    expect(effect([first, second]).kinds).toContain(kind?.title);
  });
});
