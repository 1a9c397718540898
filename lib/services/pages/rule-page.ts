import { type Incident, incidents } from '#lib/data/curated/incidents.ts';
import { type ActionFacts, type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Example, Fix, Rule, RuleMeta, Severity } from '#lib/scanner/engine/rule.ts';
import { isInRuleset, RULESETS, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { readExample, repositoryOf } from '#lib/scanner/testing/example.ts';
import { type CombinationOfRule, combinationsOf } from './combination-page.ts';
import type { Neighbour, ShownExample } from './shown-example.ts';

export interface RulePage {
  readonly id: string;
  readonly meta: RuleMeta;
  readonly rulesets: readonly Ruleset[];
  readonly grades: readonly Severity[];
  readonly bad: readonly ShownExample[];
  readonly good: readonly ShownExample[];
  /** `safe` if a fix is applied without being asked for, at least in one example. */
  readonly fix: 'none' | 'safe' | 'review';
  readonly hardenableExample: string | undefined;
  readonly combinations: readonly CombinationOfRule[];
  readonly incidents: readonly Incident[];
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

const EXAMPLE_PATH = '.github/workflows/example.yml';

const pages = new Map<string, RulePage>();

export function readRulePage(id: string): RulePage | undefined {
  const known = pages.get(id);
  if (known !== undefined) return known;
  const index = rules.findIndex((rule) => rule.id === id);
  const rule = rules[index];
  if (rule === undefined) return undefined;
  const page = pageOf(rule, rules[index - 1], rules[index + 1]);
  pages.set(id, page);
  return page;
}

function pageOf(rule: Rule, previous: Rule | undefined, next: Rule | undefined): RulePage {
  const bad = rule.examples.bad.map((example) => show(rule, example));
  const ordered = [...bad].sort((a, b) => merit(b) - merit(a));
  const fixes = bad.flatMap(({ fixed }) => fixed ?? []);
  const grades = new Set(bad.flatMap(({ findings }) => findings.map(({ severity }) => severity)));
  return {
    id: rule.id,
    meta: rule.meta,
    rulesets: RULESETS.filter((ruleset) => isInRuleset(rule, ruleset)),
    grades: [...grades].sort((a, b) => severityRank(a) - severityRank(b)),
    bad: ordered,
    fix: fixes.length === 0 ? 'none' : fixes.some(({ someSafe }) => someSafe) ? 'safe' : 'review',
    hardenableExample:
      rule.meta.surface === 'repo-settings' ? undefined : ordered.flatMap(({ files }) => files).find(isTryable)?.text,
    good: rule.examples.good.map((example) => show(rule, example)),
    combinations: combinationsOf(rule.id),
    incidents: incidents.filter(({ rules: broken }) => broken.includes(rule.id)),
    previous: neighbour(previous),
    next: neighbour(next),
  };
}

function merit({ fixed, given, files, findings }: ShownExample): number {
  const lines = files.reduce((sum, { text }) => sum + text.split('\n').length, 0);
  return (
    (fixed === undefined ? 0 : 8) +
    (given.length === 0 ? 4 : given.length <= 2 ? 2 : 0) +
    (files.length === 1 ? 2 : 0) +
    (lines >= 8 && lines <= 30 ? 2 : 0) +
    (findings.length === 1 ? 1 : 0)
  );
}

function isTryable({ path, text }: { readonly path: string; readonly text: string }): boolean {
  return path.startsWith('.github/workflows/') && /^on\b/m.test(text) && /^jobs:/m.test(text);
}

function neighbour(rule: Rule | undefined): Neighbour | undefined {
  return rule === undefined ? undefined : { id: rule.id, title: rule.meta.title };
}

function show(rule: Rule, example: Example): ShownExample {
  const sources = typeof example.yaml === 'string' ? { [EXAMPLE_PATH]: example.yaml } : example.yaml;
  const files = Object.entries(sources).map(([path, source]) => ({ path, text: readExample(source).text }));
  const facts = example.facts ?? NO_FACTS;
  const { findings } = scanRepository(repositoryOf(example, files), {
    rules: [rule],
    facts,
  });
  return {
    given: describe(facts, example),
    files: files.map(({ path, text }) => ({
      path,
      text,
      marked: findings.flatMap(({ file, line }) => (file === path && line !== null ? [line] : [])),
    })),
    findings: findings.map(({ severity, description, file, line }) => ({ severity, description, path: file, line })),
    ...(example.fixed === undefined
      ? {}
      : {
          fixed: {
            text: readExample(example.fixed).text,
            safety: safetyOf(findings),
            someSafe: findings.some(({ fix }) => fix?.safety === 'safe'),
          },
        }),
  };
}

function safetyOf(findings: readonly Finding[]): Fix['safety'] {
  return findings.some(({ fix }) => fix?.safety === 'review') ? 'review' : 'safe';
}

function spoken(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(spoken).join('; ');
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  const entries: [string, unknown][] = Object.entries(value);
  return entries.map(([key, each]) => `${words(key)} ${spoken(each)}`).join(', ');
}

function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function describe(facts: Facts, { hostVersion, repository }: Example): string[] {
  const { settings, network, observations, scores, published } = facts;
  const given: string[] = hostVersion === undefined ? [] : [`GitHub Enterprise Server ${hostVersion}`];
  if (repository !== undefined) given.push(`The repository ${repository}`);
  if ('value' in settings) {
    for (const [name, source] of Object.entries(settings.value)) {
      if ('value' in source) given.push(`Repository settings, ${words(name)}: ${spoken(source.value)}`);
    }
  }
  if ('value' in network) {
    const { actions, missing = new Map<string, never>() } = network.value;
    for (const [action, known] of actions) given.push(...describeAction(action, known));
    for (const [action, { owner }] of missing) {
      given.push(`${action} does not exist${owner === 'absent' ? ', nor does its owner’s account' : ''}`);
    }
  }
  if (observations !== undefined && 'value' in observations) {
    for (const [action, tags] of observations.value) {
      for (const [tag, { commit, at }] of tags)
        given.push(`${action}: ${tag} was commit ${commit} on ${at.slice(0, 10)}`);
    }
  }
  if (scores !== undefined && 'value' in scores) {
    for (const [action, { score }] of scores.value) given.push(`${action} has a score of ${score}`);
  }
  if (published !== undefined && 'value' in published) {
    for (const { registry, name, version, provenance, sources } of [...published.value.versions.values()].flat()) {
      const from = sources.size === 0 ? '' : `, which comes from ${[...sources].join(' or ')}`;
      given.push(`${registry} shows ${provenance ? 'provenance' : 'no provenance'} of ${name} ${version}${from}`);
    }
  }
  return given;
}

function describeAction(
  action: string,
  { archived, tags, branches, commits, definitions, renamed, partial }: ActionFacts,
): string[] {
  const membership = { own: 'is part of it', foreign: 'is on no branch and no tag', missing: 'does not exist' };
  return [
    ...(archived === undefined ? [] : [`${action} is ${archived ? 'archived' : 'maintained'}`]),
    ...[...tags].map(([ref, commit]) => `${action}: tag ${ref} is commit ${commit}`),
    ...[...branches].map(([ref, commit]) => `${action}: branch ${ref} is commit ${commit}`),
    ...[...(commits ?? [])].map(([commit, how]) => `${action}: commit ${commit} ${membership[how]}`),
    ...[...(definitions ?? [])].map(([at, text]) => `${action}/${at}: ${text}`),
    ...(renamed === undefined
      ? []
      : [`${action} is ${renamed.to} now${renamed.formerOwner === 'absent' ? '; the account before is gone' : ''}`]),
    ...(partial === undefined || partial.size === 0
      ? []
      : [`${action}: more ${[...partial].join(' and ')} than listed`]),
  ];
}
