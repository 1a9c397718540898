import { describe, expect, it } from 'vitest';
import { isOn, ownValue, type RuleChange, type RuleState, ruleKey, rulesOff, withChange } from './rule-state.ts';

function stored(...rows: readonly (readonly [repoId: string | null, ruleId: string, enabled: boolean])[]): RuleState {
  const list = rows.map(
    ([repo_id, rule_id, enabled]) =>
      [ruleKey(repo_id, rule_id), { repo_id, rule_id, enabled, updated_by: 'u', updated_at: 't' }] as const,
  );
  return { stored: new Map(list), pending: new Map() };
}

function change(repository_id: string | null, value: RuleChange['value']): RuleChange {
  return { rule_id: 'rule', repository_id, value };
}

describe('a rule', () => {
  it('is on by default, and off where the organization or the repository says so', () => {
    expect(isOn(stored(), 'a', 'rule')).toBe(true);
    expect(isOn(stored([null, 'rule', false]), 'a', 'rule')).toBe(false);
    expect(isOn(stored([null, 'rule', false], ['a', 'rule', true]), 'a', 'rule')).toBe(true);
    expect(isOn(stored([null, 'rule', false], ['a', 'rule', true]), 'b', 'rule')).toBe(false);
    expect([...rulesOff(stored(['a', 'rule', false]), 'a', ['rule', 'other'])]).toEqual(['rule']);
  });

  it('follows unsaved changes', () => {
    const state = stored(['a', 'rule', true]);
    const pending = withChange(
      { ...state, pending: withChange(state, change(null, 'disabled')) },
      change('a', 'inherit'),
    );
    expect(ownValue({ ...state, pending }, 'a', 'rule')).toBe('inherit');
    expect(isOn({ ...state, pending }, 'a', 'rule')).toBe(false);
    expect(isOn({ ...state, pending }, 'b', 'rule')).toBe(false);
  });
});

describe('an unsaved change', () => {
  it('is left out when it leads back to what is stored', () => {
    const state = stored(['a', 'rule', false]);
    const there = withChange(state, change('a', 'inherit'));
    expect([...there.values()]).toEqual([change('a', 'inherit')]);
    expect(withChange({ ...state, pending: there }, change('a', 'disabled')).size).toBe(0);
  });

  it('replaces the one before it at the same place only', () => {
    const state = stored();
    const first = withChange(state, change('a', 'enabled'));
    const second = withChange({ ...state, pending: first }, change('a', 'disabled'));
    const third = withChange({ ...state, pending: second }, change(null, 'disabled'));
    expect([...third.values()]).toEqual([change('a', 'disabled'), change(null, 'disabled')]);
  });
});
