import { COMPROMISED_REFS, type CompromisedRef } from '#lib/data/curated/compromised-refs.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import type { UsesSite } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { compareVersions, newestOf, parseVersion } from '#lib/workflow/model/versions.ts';
import { defineRule, type Report, type Severity, yaml } from '../engine/rule.ts';

const SNAPSHOT = provenance['compromised-refs.ts'].date;

const BY_ACTION = new Map<string, CompromisedRef[]>();
for (const entry of COMPROMISED_REFS as readonly CompromisedRef[]) {
  BY_ACTION.set(entry.action, [...(BY_ACTION.get(entry.action) ?? []), entry]);
}

type Message = 'commit' | 'tag' | 'window';

export const compromisedActionRef = defineRule({
  id: 'compromised-action-ref',
  meta: {
    title: 'Action reference points to a compromised commit or tag',
    why: 'This commit or tag of the action contained code that steals secrets. If it ran, assume that the attacker knows everything the job could read.',
    attack:
      'The attacker moved the action’s tags to a commit of their own. Every run that used one of them sent the secrets in the runner’s memory to the attacker, or printed them to a public log.',
    recommendation:
      'Pin the first clean release by its commit hash, then look for runs during the compromise. If there were any, rotate every secret their jobs could read, and check what was published with them.',
    limits: `Knows the compromises published by ${SNAPSHOT} whose commits or tags are public. Run history is not read, so whether a run took place during the compromise is unknown. A pin to a clean commit is never reported, whatever its comment says.`,
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
      'https://github.com/advisories/GHSA-69fq-xp46-6x23',
      'https://www.cisa.gov/news-events/alerts/2025/03/18/supply-chain-compromise-third-party-tj-actionschanged-files-cve-2025-30066-and-reviewdogaction',
    ],
    messages: {
      commit: '{{name}} is pinned to {{ref}}, a malicious commit. {{incident}}',
      tag: '{{name}}@{{ref}} points to malicious code. {{incident}}',
      window:
        '{{name}}@{{ref}} pointed to malicious code from {{from}} to {{to}}. If this workflow ran then, consider its secrets leaked. {{incident}}',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: commit
                - uses: tj-actions/changed-files@0e58ed8671d6b60d0890c21b07f8835ace038e67 # v45
                # expect: window
                - uses: tj-actions/changed-files@v45
                # expect: window
                - uses: tj-actions/changed-files@v44.5.1
                # expect: tag
                - uses: actions-cool/issues-helper@v3
                # expect: window
                - uses: aquasecurity/trivy-action@0.28.0
                # expect: window
                - uses: reviewdog/action-setup@v1
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Scan
            description: Scans
            runs:
              using: composite
              steps:
                # expect: tag
                - uses: codfish/semantic-release-action@v3
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: tj-actions/changed-files@48d8f15b2aaa3d255ca5af3eba4870f807ce6b3c # v45
                - uses: tj-actions/changed-files@v46.0.1
                - uses: tj-actions/changed-files@v46
                - uses: tj-actions/changed-files@main
                - uses: aquasecurity/trivy-action@v0.28.0
                - uses: aquasecurity/trivy-action@0.35.0
                - uses: aquasecurity/trivy-action@6e7b7d1fd3e4fef0c5fa8cce1229c54b2c9bd0d8 # 0.24.0
                - uses: reviewdog/action-setup@v1.3.0
                - uses: xygeni/xygeni-action@v6
        `,
      },
    ],
  },
  check: { uses: check },
});

const GRADES: Readonly<Record<Message, { severity: Severity; confidence: 'high' | 'low' }>> = {
  commit: { severity: 'HIGH', confidence: 'high' },
  tag: { severity: 'HIGH', confidence: 'high' },
  window: { severity: 'LOW', confidence: 'low' },
};

function* check({ uses, at }: UsesSite): Generator<Report<Message>> {
  const { reference } = uses;
  if (reference?.kind !== 'repository') return;
  for (const entry of BY_ACTION.get(reference.slug) ?? []) {
    const message = judge(entry, reference.ref);
    if (message === undefined) continue;
    yield {
      message,
      data: {
        name: `${reference.owner}/${reference.repo}`,
        ref: reference.ref,
        incident: entry.incident,
        from: shortTime(entry.tags?.from),
        to: shortTime(entry.tags?.to),
      },
      at,
      span: uses.text.span,
      ...GRADES[message],
      attributes: { malware: true, active: message !== 'window', reference: entry.reference },
    };
    break;
  }
}

function judge({ commits, tags, cleanFrom }: CompromisedRef, ref: string): Message | undefined {
  if (isFullSha(ref)) return commits.includes(ref.toLowerCase()) ? 'commit' : undefined;
  if (tags === null) return undefined;
  if (tags.names === 'all' ? !predatesCleanRelease(ref, cleanFrom) : !tags.names.includes(ref)) return undefined;
  return tags.to > SNAPSHOT ? 'tag' : 'window';
}

function predatesCleanRelease(ref: string, cleanFrom: string | null): boolean {
  const version = parseVersion(ref);
  if (version === undefined) return false;
  const clean = cleanFrom === null ? undefined : parseVersion(cleanFrom);
  return clean === undefined || compareVersions(newestOf(version), clean) < 0;
}

function shortTime(time: string | undefined): string {
  return time?.replace('T', ' ').replace(/:\d\dZ$/, ' UTC') ?? '';
}
