import {
  COMBO_SEVERITIES,
  type Combo,
  type ComboExample,
  type ComboSeverity,
  type Join,
  type Modifier,
  type Slot,
} from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import { filesOfExample, scanComboExample } from '#lib/combos/example.ts';
import type { FactName } from '#lib/combos/facts.ts';
import { findPaths } from '#lib/combos/match.ts';
import { type Incident, incidents } from '#lib/data/curated/incidents.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import type { Neighbour, ShownExample, ShownFinding } from './shown-example.ts';

export interface CombinationRow {
  readonly id: string;
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly impact: string;
  readonly breakRules: readonly string[];
}

export interface CombinationOfRule {
  readonly id: string;
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly breaks: boolean;
}

export interface ShownStage {
  readonly title: string;
  readonly description: string;
  readonly rules: readonly string[];
  readonly facts: readonly FactName[];
  readonly breaks: boolean;
}

export interface NeededRule {
  readonly id: string;
  readonly title: string;
  readonly atLeast: Severity;
  readonly some: boolean;
}

export interface Need {
  readonly stage: number | undefined;
  readonly optional: boolean;
  readonly rules: readonly NeededRule[];
  readonly facts: readonly FactName[];
}

export type Meeting = Extract<Join, { same: unknown }>['same'] | Extract<Join, { by: unknown }>['by'] | 'two-jobs';

export interface VulnerableExample extends ShownExample {
  readonly grade: ComboSeverity;
  readonly mitigatedBy: readonly string[];
  readonly facts: readonly FactName[];
}

export interface CombinationPage extends CombinationRow {
  readonly stages: readonly ShownStage[];
  readonly breakChain: string;
  readonly meeting: Meeting;
  readonly needs: readonly Need[];
  readonly modifiers: readonly Pick<Modifier, 'lower' | 'because'>[];
  readonly bad: readonly VulnerableExample[];
  readonly good: readonly ShownExample[];
  readonly incidents: readonly Incident[];
  readonly references: readonly string[];
  readonly since: string;
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

const ordered = COMBO_SEVERITIES.flatMap((severity) => combos.filter((combo) => combo.severity === severity));
const titles = new Map(rules.map(({ id, meta }) => [id, meta.title]));
const pages = new Map<string, CombinationPage>();

export function listCombinations(): CombinationRow[] {
  return ordered.map(rowOf);
}

export function combinationsOf(ruleId: string): CombinationOfRule[] {
  return ordered
    .filter(({ slots }) => Object.values(slots).some((slot) => rulesOf(slot).includes(ruleId)))
    .map((combo) => ({
      id: combo.id,
      title: combo.title,
      severity: combo.severity,
      breaks: rowOf(combo).breakRules.includes(ruleId),
    }))
    .sort(
      (a, b) =>
        COMBO_SEVERITIES.indexOf(a.severity) - COMBO_SEVERITIES.indexOf(b.severity) ||
        Number(b.breaks) - Number(a.breaks),
    );
}

export function readCombinationPage(id: string): CombinationPage | undefined {
  const known = pages.get(id);
  if (known !== undefined) return known;
  const index = ordered.findIndex((combo) => combo.id === id);
  const combo = ordered[index];
  if (combo === undefined) return undefined;
  const page = pageOf(combo, ordered[index - 1], ordered[index + 1]);
  pages.set(id, page);
  return page;
}

function rowOf(combo: Combo): CombinationRow {
  const { id, title, severity, impact, slots, breakChain } = combo;
  return { id, title, severity, impact, breakRules: rulesOf(slots[breakChain.slot]) };
}

function rulesOf(slot: Slot | undefined): string[] {
  return [...new Set(slot?.any.flatMap((source) => ('rule' in source ? [source.rule] : [])))];
}

function factsOf(slot: Slot | undefined): FactName[] {
  return [...new Set(slot?.any.flatMap((source) => ('fact' in source ? [source.fact] : [])))];
}

function pageOf(combo: Combo, previous: Combo | undefined, next: Combo | undefined): CombinationPage {
  const { id, slots, stages, breakChain, modifiers = [], examples, references, since } = combo;
  return {
    ...rowOf(combo),
    stages: stages.map(({ slot, title, description }) => ({
      title,
      description,
      rules: slot === undefined ? [] : rulesOf(slots[slot]),
      facts: slot === undefined ? [] : factsOf(slots[slot]),
      breaks: slot === breakChain.slot,
    })),
    breakChain: breakChain.text,
    meeting: meetingOf(combo),
    needs: needsOf(combo),
    modifiers: modifiers.map(({ lower, because }) => ({ lower, because })),
    bad: examples.bad.map((example) => showVulnerable(combo, example)),
    good: examples.good.map(showSafe),
    incidents: incidents.filter(({ combination }) => combination === id),
    references,
    since,
    previous: neighbour(previous),
    next: neighbour(next),
  };
}

function neighbour(combo: Combo | undefined): Neighbour | undefined {
  return combo === undefined ? undefined : { id: combo.id, title: combo.title };
}

function meetingOf({ join }: Combo): Meeting {
  if ('same' in join) return join.same;
  return join.by === 'repository' ? 'two-jobs' : join.by;
}

function needsOf({ slots, stages }: Combo): Need[] {
  const needs = Object.entries(slots).map(([name, slot]): Need => {
    const stage = stages.findIndex((each) => each.slot === name);
    return {
      stage: stage === -1 ? undefined : stage + 1,
      optional: slot.optional === true,
      rules: neededRules(slot),
      facts: factsOf(slot),
    };
  });
  const last = stages.length + 1;
  return needs.sort((a, b) => Number(a.optional) - Number(b.optional) || (a.stage ?? last) - (b.stage ?? last));
}

function neededRules(slot: Slot): NeededRule[] {
  return rulesOf(slot).map((id) => {
    const sources = slot.any.flatMap((source) => ('rule' in source && source.rule === id ? [source] : []));
    return {
      id,
      title: titles.get(id) ?? id,
      atLeast: sources[0]?.atLeast ?? 'LOW',
      some: sources.every(({ where }) => where !== undefined),
    };
  });
}

function showVulnerable(combo: Combo, example: ComboExample): VulnerableExample {
  const { findings, evidence } = scanComboExample(example);
  const [path] = findPaths(evidence, {}, [combo]);
  const taking = new Set(path?.components.map(({ fingerprint }) => fingerprint));
  const shown = new Map<string, ShownFinding>();
  for (const { fingerprint, ruleId, severity, description, file, line } of findings) {
    if (!taking.has(fingerprint)) continue;
    shown.set(`${file}\n${line}\n${description}`, { ruleId, severity, description, path: file, line });
  }
  const own = [...shown.values()];
  return {
    given: givenOf(example),
    files: filesOfExample(example).map(({ path: name, text }) => ({
      path: name,
      text,
      marked: [...new Set(own.flatMap(({ path: at, line }) => (at === name && line !== null ? [line] : [])))],
    })),
    findings: own,
    grade: path?.severity ?? combo.severity,
    mitigatedBy: path?.mitigatedBy ?? [],
    facts: [...new Set(path?.facts.map(({ name }) => name))],
  };
}

function showSafe(example: ComboExample): ShownExample {
  const files = filesOfExample(example).map((file) => ({ ...file, marked: [] }));
  return { given: givenOf(example), files, findings: [] };
}

function givenOf({ findings = [] }: ComboExample): string[] {
  return findings.map(({ ruleId, job, step }) => {
    const title = titles.get(ruleId) ?? ruleId;
    return job === undefined || step === undefined
      ? `Reported of the repository’s settings: ${title} (${ruleId})`
      : `Reported of job ${job}, step ${step + 1}, by asking the code host: ${title} (${ruleId})`;
  });
}
