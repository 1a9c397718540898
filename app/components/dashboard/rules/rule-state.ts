import type { RuleValue } from '#lib/db/shapes/rules.ts';

export interface StoredRule {
  readonly repo_id: string | null;
  readonly rule_id: string;
  readonly enabled: boolean;
  readonly updated_by: string;
  readonly updated_at: string;
}

/** A change as the API takes it; a null repository is the organization. */
export interface RuleChange {
  readonly rule_id: string;
  readonly repository_id: string | null;
  readonly value: RuleValue;
}

export type Rules<Value> = ReadonlyMap<string, Value>;

export function ruleKey(repoId: string | null, ruleId: string): string {
  return `${repoId ?? ''} ${ruleId}`;
}

export interface RuleState {
  readonly stored: Rules<StoredRule>;
  readonly pending: Rules<RuleChange>;
}

export function storedValue({ stored }: Pick<RuleState, 'stored'>, repoId: string | null, ruleId: string): RuleValue {
  const row = stored.get(ruleKey(repoId, ruleId));
  return row === undefined ? 'inherit' : row.enabled ? 'enabled' : 'disabled';
}

export function ownValue(state: RuleState, repoId: string | null, ruleId: string): RuleValue {
  return state.pending.get(ruleKey(repoId, ruleId))?.value ?? storedValue(state, repoId, ruleId);
}

export function isOn(state: RuleState, repoId: string | null, ruleId: string): boolean {
  const own = ownValue(state, repoId, ruleId);
  if (own !== 'inherit') return own === 'enabled';
  return repoId === null || isOn(state, null, ruleId);
}

export function withChange({ stored, pending }: RuleState, change: RuleChange): Rules<RuleChange> {
  const next = new Map(pending);
  const key = ruleKey(change.repository_id, change.rule_id);
  if (change.value === storedValue({ stored }, change.repository_id, change.rule_id)) next.delete(key);
  else next.set(key, change);
  return next;
}

const NEXT: Readonly<Record<RuleValue, RuleValue>> = { inherit: 'enabled', enabled: 'disabled', disabled: 'inherit' };

export function nextValue(value: RuleValue): RuleValue {
  return NEXT[value];
}

export function rulesOff(state: RuleState, repoId: string, ruleIds: readonly string[]): ReadonlySet<string> {
  return new Set(ruleIds.filter((ruleId) => !isOn(state, repoId, ruleId)));
}
