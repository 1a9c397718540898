import { releaseJobs } from '#lib/analysis/publishing/releases.ts';
import type { NotAssessedReason } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Finding } from './finding.ts';
import type { Rule } from './rule.ts';
import { type Ruleset, type SlsaLevel, type SlsaTrack, slsaLevels } from './rulesets.ts';

/**
 * `refuted`: a finding contradicts the requirement. `supported`: all its rules ran without a finding, which is no
 * proof. `not_assessable`: the input cannot tell.
 */
export type Standing = 'refuted' | 'supported' | 'not_assessable';

export interface RequirementEvidence {
  readonly id: string;
  readonly title: string;
  readonly standing: Standing;
  readonly findings: readonly Finding[];
  readonly reason: string | null;
}

export interface LevelEvidence {
  readonly level: SlsaLevel;
  readonly refuted: boolean;
  readonly requirements: readonly RequirementEvidence[];
}

export interface SlsaAssessment {
  readonly track: SlsaTrack;
  readonly ceiling: SlsaLevel | null;
  readonly levels: readonly LevelEvidence[];
}

interface Requirement {
  readonly id: string;
  readonly title: string;
  readonly rules?: readonly string[];
  readonly part?: string;
  readonly outside?: string;
}

const REQUIREMENTS: Readonly<Record<SlsaLevel, readonly Requirement[]>> = {
  'slsa-build-l1': [
    {
      id: 'provenance-exists',
      title: 'Every release has provenance',
      rules: ['missing-provenance', 'attestation-permissions-missing'],
    },
    {
      id: 'provenance-distributed',
      title: 'Users get the provenance with the release',
      rules: ['published-version-missing-provenance'],
      outside: 'the registries were not asked',
    },
    {
      id: 'consistent-build',
      title: 'Releases are built one way, which users can expect',
      rules: ['multiple-release-paths', 'release-from-arbitrary-ref'],
    },
  ],
  'slsa-build-l2': [
    { id: 'hosted', title: 'Releases are built on a hosted platform', rules: ['self-hosted-runner'] },
    {
      id: 'provenance-authentic',
      title: 'The platform writes and signs the provenance',
      rules: ['provenance-tenant-generated'],
    },
  ],
  'slsa-build-l3': [
    {
      id: 'provenance-unforgeable',
      title: 'Steps of the build cannot reach what signs',
      rules: ['build-isolation', 'id-token-broad-scope'],
      part: 'unforgeable',
    },
    {
      id: 'isolated',
      title: 'No other run can influence the build',
      rules: [
        'artifact-poisoning',
        'build-isolation',
        'cache-poisoning',
        'cache-write-untrusted',
        'debug-enabled',
        'privileged-container',
        'runner-shared-across-trust',
        'self-hosted-runner-pr',
      ],
      part: 'isolated',
    },
    {
      id: 'parameters',
      title: 'Whoever starts a release does not steer what is built',
      rules: ['build-isolation'],
      part: 'parameters',
    },
    {
      id: 'platform',
      title: 'The platform keeps its keys and builds apart',
      outside: 'it is for an audit of the platform',
    },
  ],
  'slsa-source-l1': [
    {
      id: 'source-attested',
      title: 'A summary is attested for each revision',
      rules: ['source-provenance-missing'],
      outside: 'no rule looks at the attestations of revisions',
    },
  ],
  'slsa-source-l2': [
    {
      id: 'history-kept',
      title: 'Protected branches and tags keep their history',
      rules: [
        'branch-history-mutable',
        'tag-protection-missing',
        'tag-drift-observed',
        'mutable-releases',
        'unprotected-branch',
      ],
      outside: 'the settings of branches and tags were not read',
    },
    {
      id: 'identities',
      title: 'People are identified, and roles are described',
      outside: 'it is for the organization to show',
    },
  ],
  'slsa-source-l3': [
    {
      id: 'technical-controls',
      title: 'The organization’s controls are enforced continuously',
      rules: [
        'protection-bypass',
        'ruleset-not-enforced',
        'status-checks-not-required',
        'skipped-required-check',
        'workflow-pushes-to-protected-ref',
      ],
      outside: 'the rules of the branches were not read',
    },
  ],
  'slsa-source-l4': [
    {
      id: 'two-party-review',
      title: 'Two trusted people agree to every change',
      rules: [
        'actions-can-approve-prs',
        'codeowners-gap',
        'confused-deputy-auto-merge',
        'review-not-required',
        'weak-review-gate',
      ],
    },
    {
      id: 'trusted-reviewers',
      title: 'Reviewers are known and distinct people',
      outside: 'it is for the organization to show',
    },
  ],
};

const REASONS: Readonly<Record<NotAssessedReason, string>> = {
  disabled: 'a rule is switched off',
  not_run: 'a rule did not run',
  no_permission: 'settings could not be read',
  offline: 'the code host or another source was not asked',
  rate_limited: 'the code host or another source limited the requests',
  rule_error: 'a rule failed',
  unsupported_host: 'the code host has no such setting',
};

export interface SlsaInput {
  readonly repository: Repository;
  readonly ruleset: Ruleset;
  readonly rules: readonly Rule[];
  readonly findings: readonly Finding[];
  readonly notAssessed: readonly { readonly ruleId: string; readonly reason: NotAssessedReason }[];
}

export function assessSlsa(input: SlsaInput): SlsaAssessment[] {
  const places = buildPlaces(input.repository);
  return slsaLevels(input.ruleset).map(({ track, levels }) => {
    let refuted = false;
    let ceiling: SlsaLevel | null = null;
    const evidence = levels.map((level): LevelEvidence => {
      const requirements = requirementsOf(level, input.rules).map((requirement) =>
        assess(requirement, level, track, places, input),
      );
      refuted ||= requirements.some(({ standing }) => standing === 'refuted');
      if (!refuted && requirements.some(({ standing }) => standing === 'supported')) ceiling = level;
      return { level, refuted, requirements };
    });
    return { track, ceiling, levels: evidence };
  });
}

/** A rule of a level counts against it even if no requirement names it. */
function requirementsOf(level: SlsaLevel, rules: readonly Rule[]): readonly Requirement[] {
  const named = new Set(Object.values(REQUIREMENTS).flatMap((list) => list.flatMap((each) => each.rules ?? [])));
  const others = rules.filter(({ id, meta }) => meta.rulesets.includes(level) && !named.has(id)).map(({ id }) => id);
  const rest: Requirement[] =
    others.length === 0 ? [] : [{ id: 'other', title: 'Nothing else speaks against the level', rules: others }];
  return [...REQUIREMENTS[level], ...rest];
}

interface BuildPlaces {
  readonly any: boolean;
  includes(finding: Finding): boolean;
}

function buildPlaces(repository: Repository): BuildPlaces {
  const jobs = new Set<string>();
  const files = new Set<string>();
  for (const { workflow, id } of releaseJobs(repository)) {
    files.add(workflow.source.path);
    jobs.add(`${workflow.source.path} ${id}`);
  }
  for (const { source } of repository.actions) files.add(source.path);
  return {
    any: jobs.size > 0,
    includes: ({ file, job }) => file === null || (job === undefined ? files.has(file) : jobs.has(`${file} ${job}`)),
  };
}

function assess(
  { id, title, rules: named = [], part, outside }: Requirement,
  level: SlsaLevel,
  track: SlsaTrack,
  places: BuildPlaces,
  { rules, findings, notAssessed }: SlsaInput,
): RequirementEvidence {
  const open = (reason: string): RequirementEvidence => ({
    id,
    title,
    standing: 'not_assessable',
    findings: [],
    reason,
  });
  if (track === 'build' && !places.any) return open('the workflows publish nothing that is known');
  const looking = rules.filter((rule) => named.includes(rule.id) && isAbout(rule, level)).map((rule) => rule.id);
  const against = findings.filter(
    (finding) =>
      looking.includes(finding.ruleId) &&
      finding.confidence !== 'low' &&
      (track === 'source' || places.includes(finding)) &&
      isPart(finding, part),
  );
  if (against.length > 0) return { id, title, standing: 'refuted', findings: against, reason: null };
  if (looking.length === 0) return open(outside ?? 'no rule looks at it');
  const missing = notAssessed.find(({ ruleId }) => looking.includes(ruleId));
  if (missing !== undefined) return open(REASONS[missing.reason]);
  return { id, title, standing: 'supported', findings: [], reason: null };
}

function isAbout({ meta }: Rule, level: SlsaLevel): boolean {
  const [track] = level.split(/-l\d/);
  return meta.rulesets.some((each) => each.startsWith(`${track}-l`) && each <= level);
}

function isPart({ attributes }: Finding, part: string | undefined): boolean {
  const own = attributes['requirement'];
  return part === undefined || own === undefined || own === part;
}
