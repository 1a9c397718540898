import { COMPROMISED_REFS, type CompromisedRef } from '#lib/data/curated/compromised-refs.ts';
import { ACTION_ADVISORIES, type ActionAdvisory } from '#lib/data/generated/action-advisories.ts';
import type { Advisory, AdvisorySeverity } from '../facts.ts';

const GHSA = /GHSA(?:-[0-9a-z]{4}){3}/;

export function knownAdvisories(owner: string, name: string): Advisory[] {
  const slug = `${owner}/${name}`.toLowerCase();
  const compromised = (COMPROMISED_REFS as readonly CompromisedRef[])
    .filter(({ action }) => action === slug)
    .map((entry, index) => fromCompromise(entry, index));
  const ids = new Set(compromised.map(({ id }) => id));
  const published = (ACTION_ADVISORIES as readonly ActionAdvisory[]).filter(
    ({ action, ghsa }) => (action === slug || action.startsWith(`${slug}/`)) && !ids.has(ghsa),
  );
  return [...compromised, ...published.map((entry) => fromTable(entry, slug))];
}

function fromCompromise({ commits, tags, reference }: CompromisedRef, index: number): Advisory {
  return {
    id: GHSA.exec(reference)?.[0] ?? `compromise-${index + 1}`,
    kind: 'malware',
    severity: 'critical',
    publishedAt: tags?.from ?? null,
    path: '',
    ...(commits.length > 0 ? { commits } : {}),
    ...(tags === null ? {} : { windows: [{ tags: tags.names, from: tags.from, to: tags.to }] }),
  };
}

function fromTable({ ghsa, action, severity, vulnerable }: ActionAdvisory, slug: string): Advisory {
  return {
    id: ghsa,
    kind: 'vulnerability',
    severity: severity.toLowerCase() as AdvisorySeverity,
    publishedAt: null,
    path: action.slice(slug.length + 1),
    ranges: typeof vulnerable === 'string' ? [vulnerable] : vulnerable,
  };
}

export interface PublishedAdvisory {
  readonly ghsa_id: string;
  readonly type: string;
  readonly severity: string;
  readonly published_at: string;
  readonly withdrawn_at: string | null;
  readonly cwes: readonly { readonly cwe_id: string }[];
  readonly vulnerabilities: readonly {
    readonly package: { readonly name: string };
    readonly vulnerable_version_range: string | null;
  }[];
}

/** CWE-506, embedded malicious code, with its children. */
const MALICIOUS = /^CWE-50[6-9]$|^CWE-51[0-2]$/;
const SEVERITIES: Readonly<Record<string, AdvisorySeverity>> = {
  critical: 'critical',
  high: 'high',
  medium: 'moderate',
  moderate: 'moderate',
};

/** Returns an advisory per affected folder; none if it was withdrawn. */
export function advisoriesFrom(raw: PublishedAdvisory, owner: string, name: string): Advisory[] {
  if (raw.withdrawn_at !== null) return [];
  const slug = `${owner}/${name}`.toLowerCase();
  const ranges = new Map<string, string[]>();
  for (const { package: affected, vulnerable_version_range: range } of raw.vulnerabilities) {
    const target = affected.name.toLowerCase();
    if (target !== slug && !target.startsWith(`${slug}/`)) continue;
    const path = target.slice(slug.length + 1);
    ranges.set(path, [...(ranges.get(path) ?? []), ...(range === null ? [] : [range])]);
  }
  const malware = raw.type === 'malware' || raw.cwes.some(({ cwe_id: id }) => MALICIOUS.test(id));
  return [...ranges].map(([path, own]) => ({
    id: raw.ghsa_id,
    kind: malware ? 'malware' : 'vulnerability',
    severity: SEVERITIES[raw.severity] ?? 'low',
    publishedAt: raw.published_at,
    path,
    ranges: own,
  }));
}

export function mergeAdvisories(advisories: readonly Advisory[]): Advisory[] {
  const merged = new Map<string, Advisory>();
  for (const each of advisories) {
    const key = JSON.stringify([each.id, each.path]);
    const known = merged.get(key);
    merged.set(key, known === undefined ? each : join(known, each));
  }
  return [...merged.values()];
}

function join(one: Advisory, other: Advisory): Advisory {
  const commits = one.commits ?? other.commits;
  const windows = one.windows ?? other.windows;
  const ranges = one.ranges ?? other.ranges;
  return {
    ...one,
    kind: one.kind === 'malware' ? 'malware' : other.kind,
    publishedAt: one.publishedAt ?? other.publishedAt,
    ...(commits === undefined ? {} : { commits }),
    ...(windows === undefined ? {} : { windows }),
    ...(ranges === undefined ? {} : { ranges }),
  };
}
