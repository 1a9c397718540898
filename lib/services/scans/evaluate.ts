import { createHash } from 'node:crypto';
import { collectEvidence, storable, storableEvidence } from '#lib/combos/evidence.ts';
import type { ActionUse, NewEvidence, ObservedTagRow, ScanDiagnostics, UsedTag } from '#lib/db/queries/scans.ts';
import type { NotAssessed } from '#lib/db/shapes/common.ts';
import type { Ruleset, Finding as StoredFinding } from '#lib/db/shapes/scans.ts';
import type { Env } from '#lib/env.ts';
import {
  type Facts,
  type NetworkFacts,
  NO_FACTS,
  type PublishedFacts,
  type SettingsFacts,
  type Source,
} from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import { isInRuleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { actionUsesOf } from './action-uses.ts';
import { notAssessed } from './not-assessed.ts';
import { observationsOf, usedTags } from './observed-tags.ts';
import { platformOf } from './platform.ts';

export interface RuleChoice {
  readonly ruleset: Ruleset;
  readonly disabledRules: readonly string[];
  readonly settings: Source<SettingsFacts>;
  readonly network?: Source<NetworkFacts>;
  readonly published?: Source<PublishedFacts>;
  readonly scores?: Facts['scores'];
  /**
   * Day of the lookup, since actions change while files do not. A failed lookup gets a unique text, so that the next
   * scan retries.
   */
  readonly asOf: string;
  readonly observed?: readonly ObservedTagRow[];
}

export interface Outcome {
  readonly findings: readonly StoredFinding[];
  readonly suppressed: number;
  readonly completed: readonly string[];
  readonly not_assessed: readonly NotAssessed[];
  readonly evidence: NewEvidence;
  readonly observed_tags: readonly UsedTag[] | null;
  readonly action_uses: readonly ActionUse[];
  readonly diagnostics: ScanDiagnostics;
}

const MAX_DIAGNOSTICS = 20;

export function runRules(snapshot: RepositorySnapshot, choice: RuleChoice, env: Pick<Env, 'scm'>): Outcome {
  const { ruleset, disabledRules, settings, network = NO_FACTS.network, published, scores, observed } = choice;
  const repository = repositoryOf(snapshot, env);
  const tags = usedTags(repository, network);
  const observations = observationsOf(observed, tags);
  const facts: Facts = {
    settings,
    network,
    observations,
    ...(published === undefined ? {} : { published }),
    ...(scores === undefined ? {} : { scores }),
  };
  const result = scanRepository(repository, { ruleset, disabledRules: new Set(disabledRules), facts });
  const chosen = new Set(rules.filter((rule) => isInRuleset(rule, ruleset)).map(({ id }) => id));
  const open = withUnlisted(notAssessed(result, snapshot), result.omitted).filter(({ rule_id }) => chosen.has(rule_id));
  for (const { rule_id } of open) chosen.delete(rule_id);
  return {
    findings: result.findings.map(toRow),
    suppressed: result.suppressed.length,
    completed: [...chosen],
    not_assessed: open,
    evidence: {
      ...storableEvidence(collectEvidence(repository, result.findings, facts)),
      caches_read_only: repository.platform.does('read-only-cache'),
    },
    observed_tags: 'value' in tags ? tags.value : null,
    action_uses: actionUsesOf(repository),
    diagnostics: {
      count: result.diagnostics.length,
      first: result.diagnostics.slice(0, MAX_DIAGNOSTICS).map(({ file, line, column, severity, message }) => ({
        file: storable(file),
        line,
        column,
        severity,
        message: storable(message),
      })),
    },
  };
}

function withUnlisted(open: readonly NotAssessed[], omitted: readonly Omitted[]): readonly NotAssessed[] {
  const known = new Set(open.map(({ rule_id }) => rule_id));
  const ids = new Set(omitted.flatMap(({ ruleId, suppressed }) => (suppressed || known.has(ruleId) ? [] : [ruleId])));
  return [...open, ...[...ids].map((rule_id) => ({ rule_id, reason: 'rate_limited' as const }))].sort((a, b) =>
    compareText(a.rule_id, b.rule_id),
  );
}

const parsed = new WeakMap<RepositorySnapshot, Repository>();

export function repositoryOf(snapshot: RepositorySnapshot, env: Pick<Env, 'scm'>): Repository {
  const repository =
    parsed.get(snapshot) ?? createRepository(snapshot.files, snapshot.fullName, { platform: platformOf(env) });
  parsed.set(snapshot, repository);
  return repository;
}

export function digestOf({ engine, scm }: Pick<Env, 'engine' | 'scm'>, fullName: string, choice: RuleChoice): string {
  const { ruleset, disabledRules, settings, asOf } = choice;
  const parts = [engine, scm.hostVersion, fullName.toLowerCase(), ruleset, [...disabledRules].sort(), settings, asOf];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function toRow(finding: Finding): StoredFinding {
  const { fingerprint, ruleId, severity, confidence, category, title, file, line, column, snippet, fixable } = finding;
  return {
    fingerprint,
    rule_id: ruleId,
    severity,
    confidence,
    category,
    title,
    file: file === null ? null : storable(file),
    line,
    column,
    end_line: finding.endLine,
    end_column: finding.endColumn,
    snippet: snippet === null ? null : storable(snippet),
    description: storable(finding.description),
    recommendation: finding.recommendation,
    fixable,
  };
}
