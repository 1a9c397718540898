import { HARMFUL_WITHOUT_RUN } from '#lib/scanner/engine/start-barriers.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { COMBO_SEVERITIES, type Combo, type ComboSeverity, type Join } from './combo.ts';
import { combos as allCombos } from './combos/index.ts';
import type { ScanEvidence } from './evidence.ts';
import { EvidenceIndex, fileIn, fileKey, fits, type Item, isInAction, put } from './evidence-index.ts';
import type { Fact } from './facts.ts';
import { beginsLike, unify } from './unify.ts';

export interface Surroundings {
  readonly isPrivate?: boolean;
  /**
   * True if outsiders' runs can only read the default branch's caches: github.com since June 2026 (the default),
   * Enterprise Server by version.
   */
  readonly cachesReadOnly?: boolean;
}

/**
 * `anchor`: file, job and step in which the evidence meets, as far as they apply, one per line; empty for the repository.
 * `cuts`: sets of fingerprints; fixing all findings of any set ends the path. The first set is the break chain's.
 */
export interface AttackPath {
  readonly comboId: string;
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly scope: 'job' | 'file' | 'repo';
  readonly file: string | null;
  readonly job: string | null;
  readonly anchor: string;
  readonly impact: string;
  readonly breakChain: string;
  readonly breakChainRule: string;
  readonly stages: readonly PathStage[];
  readonly components: readonly { readonly ruleId: string; readonly fingerprint: string }[];
  readonly facts: readonly Fact[];
  readonly cuts: readonly (readonly string[])[];
  readonly mitigatedBy: readonly string[];
  readonly containsAcceptedRisk: boolean;
}

export interface PathStage {
  readonly order: number;
  readonly title: string;
  readonly description: string;
  readonly ruleId: string | null;
  readonly fingerprints: readonly string[];
}

/**
 * Finds every combination in one repository's evidence: one path per anchor and rule that could break it there, worst
 * first. Independent of the order of evidence.
 */
export function findPaths(
  evidence: ScanEvidence,
  surroundings: Surroundings = {},
  combos: readonly Combo[] = allCombos,
): AttackPath[] {
  const index = new EvidenceIndex(evidence);
  const matches = combos.flatMap((combo) => matchesOf(combo, index));
  return matches.map((match) => toPath(match, surroundings, index)).sort(comparePaths);
}

export function comparePaths(a: AttackPath, b: AttackPath): number {
  return (
    comboSeverityRank(a.severity) - comboSeverityRank(b.severity) ||
    compareText(a.comboId, b.comboId) ||
    compareText(a.file ?? '\uFFFF', b.file ?? '\uFFFF') ||
    compareText(a.anchor, b.anchor) ||
    compareText(a.breakChainRule, b.breakChainRule)
  );
}

export function comboSeverityRank(severity: ComboSeverity): number {
  return COMBO_SEVERITIES.indexOf(severity);
}

type Bindings = ReadonlyMap<string, readonly Item[]>;

interface Match {
  readonly combo: Combo;
  readonly breakRule: string;
  readonly anchor: string;
  readonly bindings: Bindings;
}

function matchesOf(combo: Combo, index: EvidenceIndex): Match[] {
  const cut = combo.slots[combo.breakChain.slot];
  const rules = new Set(cut?.any.flatMap((source) => ('rule' in source ? [source.rule] : [])));
  return [...rules].flatMap((breakRule) => {
    const filled = new Map<string, Item[]>();
    for (const [name, slot] of Object.entries(combo.slots)) {
      const items = index.fill(slot, name === combo.breakChain.slot ? breakRule : undefined);
      if (items.length === 0 && slot.optional !== true) return [];
      filled.set(name, items);
    }
    const { join } = combo;
    const found = 'same' in join ? matchTogether(combo, join.same, filled) : matchAcross(combo, join, filled);
    return found.flatMap(({ anchor, bindings }) =>
      inOrder(combo, bindings) ? [{ combo, breakRule, anchor, bindings }] : [],
    );
  });
}

interface Found {
  readonly anchor: string;
  readonly bindings: Bindings;
}

class Places {
  readonly byPlace = new Map<string, Item[]>();
  readonly byFile = new Map<string, Item[]>();
  readonly everywhere: Item[] = [];

  constructor(items: readonly Item[], level: 'step' | 'job' | 'file' | 'repository') {
    for (const item of items) {
      if (level === 'repository') this.everywhere.push(item);
      else if (item.file === null) this.everywhere.push(item);
      else if (level === 'file') put(this.byPlace, fileKey(item.file), item);
      else if (item.jobs === undefined) put(this.byFile, fileKey(item.file), item);
      else {
        for (const job of item.jobs) {
          if (level === 'job') put(this.byPlace, job, item);
          else put(this.byPlace, item.step === null ? job : `${job}\n${item.step}`, item);
        }
      }
    }
  }

  at(place: string): readonly Item[] {
    const own = this.byPlace.get(place);
    const [file = ''] = place.split('\n');
    const wide = this.byFile.get(file);
    if (wide === undefined && this.everywhere.length === 0) return own ?? [];
    return [...new Set([...(own ?? []), ...(wide ?? []), ...this.everywhere])];
  }
}

function meet(
  combo: Combo,
  names: readonly string[],
  level: 'step' | 'job' | 'file' | 'repository',
  filled: ReadonlyMap<string, readonly Item[]>,
): Found[] {
  const places = new Map(names.map((name) => [name, new Places(filled.get(name) ?? [], level)]));
  const required = names.filter((name) => combo.slots[name]?.optional !== true);
  const candidates = new Set<string>();
  for (const name of required) {
    const { byPlace, byFile } = places.get(name) as Places;
    for (const place of byPlace.keys()) candidates.add(place);
    for (const file of byFile.keys()) candidates.add(file);
  }
  if (required.every((name) => (places.get(name) as Places).everywhere.length > 0)) candidates.add('');
  const found: Found[] = [];
  for (const anchor of candidates) {
    const bindings = new Map<string, readonly Item[]>();
    const whole = required.every((name) => {
      const items = (places.get(name) as Places).at(anchor);
      bindings.set(name, items);
      return items.length > 0;
    });
    if (!whole) continue;
    for (const name of names) if (!bindings.has(name)) bindings.set(name, (places.get(name) as Places).at(anchor));
    found.push({ anchor, bindings });
  }
  return found;
}

function matchTogether(
  combo: Combo,
  level: 'step' | 'job' | 'file' | 'repository',
  filled: ReadonlyMap<string, readonly Item[]>,
): Found[] {
  return meet(combo, Object.keys(combo.slots), level, filled);
}

function matchAcross(
  combo: Combo,
  { from, by }: Extract<Join, { by: unknown }>,
  filled: ReadonlyMap<string, readonly Item[]>,
): Found[] {
  const others = Object.keys(combo.slots).filter((name) => !from.includes(name));
  const first = meet(combo, from, 'job', filled);
  if (first.length === 0) return [];
  const byCall = new Map<string, Found[]>();
  if (by === 'artifact') for (const found of first) put(byCall, fileIn(found.anchor), found);
  if (by === 'call')
    for (const found of first) for (const callee of valuesOf(found, 'callee')) put(byCall, callee, found);
  return meet(combo, others, 'job', filled).flatMap((second) => {
    const linked = leadingTo(second, first, byCall, by);
    if (linked.length === 0) return [];
    const bindings = new Map(second.bindings);
    for (const name of from) bindings.set(name, [...new Set(linked.flatMap((each) => each.bindings.get(name) ?? []))]);
    return [{ anchor: second.anchor, bindings }];
  });
}

function leadingTo(
  second: Found,
  first: readonly Found[],
  byCall: ReadonlyMap<string, readonly Found[]>,
  by: 'artifact' | 'cache' | 'call' | 'repository',
): readonly Found[] {
  const others = (): readonly Found[] => first.filter(({ anchor }) => anchor !== second.anchor);
  switch (by) {
    case 'repository':
      return others();
    case 'cache': {
      const restored = cachesIn(second, 'cache-restore');
      return others().filter((each) =>
        cachesIn(each, 'cache-save').some((saved) => restored.some((wanted) => mayRestore(wanted, saved))),
      );
    }
    case 'call': {
      const files = new Set([...second.bindings.values()].flat().map(({ file }) => file ?? ''));
      return [...new Set([...files].flatMap((file) => byCall.get(file) ?? []))];
    }
    case 'artifact': {
      const found = new Set<Found>();
      for (const item of [...second.bindings.values()].flat()) {
        const producers = item.finding?.attributes['producers'];
        const name = item.finding?.attributes['name_template'];
        if (typeof producers !== 'object' || typeof name !== 'string') continue;
        for (const each of producers.flatMap((file) => byCall.get(file) ?? [])) {
          if (valuesOf(each, 'name_template').some((template) => unify(template, name) !== 'never')) found.add(each);
        }
      }
      return [...found];
    }
  }
}

function valuesOf({ bindings }: Found, attribute: string): string[] {
  const values = [...bindings.values()].flat().flatMap(({ fact }) => fact?.attributes[attribute] ?? []);
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

function cachesIn({ bindings }: Found, name: 'cache-restore' | 'cache-save'): Fact[] {
  return [...bindings.values()].flat().flatMap(({ fact }) => (fact?.name === name ? [fact] : []));
}

function mayRestore(wanted: Fact, saved: Fact): boolean {
  const [key, own] = [saved.attributes['key_template'], wanted.attributes['key_template']];
  if (typeof key !== 'string' || typeof own !== 'string') return false;
  const prefixes = wanted.attributes['restore_prefixes'];
  const byPrefix = typeof prefixes === 'object' && prefixes.some((prefix) => beginsLike(key, prefix));
  return (unify(own, key) !== 'never' || byPrefix) && pathsMeet(wanted, saved);
}

function pathsMeet(wanted: Fact, saved: Fact): boolean {
  const [a, b] = [wanted.attributes['paths'], saved.attributes['paths']];
  if (typeof a !== 'object' || typeof b !== 'object' || a.length === 0 || b.length === 0) return true;
  return a.some((one) => b.some((other) => unify(one, other) !== 'never'));
}

function inOrder({ order = [] }: Combo, bindings: Bindings): boolean {
  return order.every(([before, after]) => {
    const firsts = (bindings.get(before) ?? []).map(({ step }) => step ?? -1);
    const lasts = (bindings.get(after) ?? []).map(({ step }) => step ?? Number.POSITIVE_INFINITY);
    return Math.min(...firsts) < Math.max(...lasts);
  });
}

const MAX_SHOWN = 25;

function toPath(match: Match, surroundings: Surroundings, index: EvidenceIndex): AttackPath {
  const { combo, breakRule, anchor, bindings } = match;
  const { breakChain, slots } = combo;
  const cuts: string[][] = [];
  const shown = new Map<string, readonly Item[]>();
  for (const name of [breakChain.slot, ...Object.keys(slots).filter((slot) => slot !== breakChain.slot)]) {
    const items = bindings.get(name) ?? [];
    const isCut = slots[name]?.optional !== true && items.every(({ finding }) => finding !== undefined);
    if (isCut) cuts.push(items.map(({ key }) => key).sort());
    shown.set(name, isCut ? items : items.slice(0, MAX_SHOWN));
  }
  const all = [...new Set([...shown.values()].flat())];
  const findings = all.flatMap(({ finding }) => finding ?? []);
  const graded = grade(combo, bindings, surroundings);
  const barrier = barrierOf(match, index);
  const { severity, mitigatedBy } = barrier === undefined ? graded : barred(graded, barrier);
  const place = placeOf(combo, bindings, anchor);
  return {
    comboId: combo.id,
    title: combo.title,
    severity,
    ...place,
    anchor,
    impact: combo.impact,
    breakChain: breakChain.text,
    breakChainRule: breakRule,
    stages: combo.stages.map(({ slot, title, description }, order) => {
      const items = slot === undefined ? [] : (shown.get(slot) ?? []);
      const proofs = items.flatMap(({ finding }) => finding ?? []);
      return {
        order,
        title,
        description,
        ruleId: proofs[0]?.ruleId ?? null,
        fingerprints: proofs.map(({ fingerprint }) => fingerprint),
      };
    }),
    components: findings.map(({ ruleId, fingerprint }) => ({ ruleId, fingerprint })),
    facts: all.flatMap(({ fact }) => fact ?? []),
    cuts,
    mitigatedBy,
    containsAcceptedRisk: findings.some(({ acceptedRisk }) => acceptedRisk === true),
  };
}

function placeOf(combo: Combo, bindings: Bindings, anchor: string): Pick<AttackPath, 'scope' | 'file' | 'job'> {
  const required = Object.entries(combo.slots).filter(([, { optional }]) => optional !== true);
  const items = required.flatMap(([name]) => bindings.get(name) ?? []);
  const [, job = ''] = anchor.split('\n');
  const file = fileIn(anchor);
  const files = new Set(items.flatMap((item) => (item.file === null || isInAction(item) ? [] : item.file)));
  const setting = items.some(({ finding }) => finding !== undefined && finding.file === null);
  if (file === '' || setting || files.size > 1) return { scope: 'repo', file: null, job: null };
  return job === '' ? { scope: 'file', file, job: null } : { scope: 'job', file, job };
}

function grade(
  { severity, modifiers = [] }: Combo,
  bindings: Bindings,
  { isPrivate = false, cachesReadOnly = true }: Surroundings,
): Grade {
  const mitigatedBy: string[] = [];
  let steps = 0;
  for (const { lower, unless, when, because } of modifiers) {
    if ((when === 'private' && !isPrivate) || (when === 'caches-read-only' && !cachesReadOnly)) continue;
    if (unless !== undefined) {
      const wanted = [unless.where].flat();
      if ((bindings.get(unless.slot) ?? []).some((item) => wanted.some((where) => fits(item, where)))) continue;
    }
    steps += lower;
    mitigatedBy.push(because);
  }
  const rank = Math.min(comboSeverityRank(severity) + Math.min(steps, 2), COMBO_SEVERITIES.length - 1);
  return { severity: COMBO_SEVERITIES[rank] ?? 'MEDIUM', mitigatedBy };
}

type Grade = Pick<AttackPath, 'severity' | 'mitigatedBy'>;

function barred({ mitigatedBy }: Grade, because: string): Grade {
  const sentence = `A job of this path cannot start until its file changes: ${because}.`;
  return { severity: 'MEDIUM', mitigatedBy: [...mitigatedBy, sentence] };
}

function barrierOf({ combo, anchor, bindings }: Match, index: EvidenceIndex): string | undefined {
  const required = Object.entries(combo.slots).flatMap(([name, { optional }]) =>
    optional === true ? [] : [bindings.get(name) ?? []],
  );
  if (required.flat().some(({ rule = '' }) => HARMFUL_WITHOUT_RUN.has(rule))) return undefined;
  const barriers = required.flatMap((items) => {
    const each = items.map((item) => index.barrierOf(item));
    return each.includes(undefined) ? [] : each;
  });
  return index.barrierAt(anchor) ?? barriers[0];
}

/** Removes each path whose evidence is contained in another path of at least the same severity. */
export function foldPaths(paths: readonly AttackPath[]): AttackPath[] {
  const evidence = paths.map(
    ({ components, facts }) =>
      new Set<unknown>([...components.map(({ fingerprint }) => fingerprint), ...facts.flatMap(evidenceOf)]),
  );
  const holders = new Map<unknown, number[]>();
  for (const [index, items] of evidence.entries()) for (const item of items) put(holders, item, index);
  const folded = new Set<number>();
  for (const [index, path] of paths.entries()) {
    const own = evidence[index] as Set<unknown>;
    const rarest = [...own].reduce<readonly number[] | undefined>((best, item) => {
      const list = holders.get(item) ?? [];
      return best === undefined || list.length < best.length ? list : best;
    }, undefined);
    const container = (rarest ?? []).find((other) => {
      const theirs = evidence[other] as Set<unknown>;
      const theirPath = paths[other] as AttackPath;
      if (other === index || folded.has(other) || theirs.size < own.size) return false;
      const better = comboSeverityRank(theirPath.severity) - comboSeverityRank(path.severity);
      if (better > 0 || (theirs.size === own.size && better === 0 && other > index)) return false;
      return [...own].every((item) => theirs.has(item));
    });
    if (container !== undefined) folded.add(index);
  }
  return paths.filter((_, index) => !folded.has(index));
}

function evidenceOf(fact: Fact): unknown[] {
  const { name, file, job, attributes } = fact;
  if (name !== 'personal-token' && name !== 'secret-use') return [fact];
  const { names = [] } = attributes;
  const tokens = [names].flat().map((token) => JSON.stringify([file, job, token]));
  return name === 'personal-token' ? tokens : [fact, ...tokens];
}
