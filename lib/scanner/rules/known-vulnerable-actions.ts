import { isLowValueTarget } from '#lib/analysis/impact/low-value-jobs.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { runnerKindIn } from '#lib/analysis/privileges/runners.ts';
import { writesMoreThanTalk } from '#lib/analysis/privileges/worthy-writes.ts';
import { identityUse } from '#lib/analysis/publishing/identity-use.ts';
import { releaseJobs } from '#lib/analysis/publishing/releases.ts';
import { reachOf } from '#lib/analysis/reachability/events.ts';
import { privilegedOutsiderEvents, runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { isChosenByMembers } from '#lib/analysis/values/member-values.ts';
import { useOf } from '#lib/analysis/workspace/artifact-consumers.ts';
import { foreignDownloads } from '#lib/analysis/workspace/artifacts.ts';
import { COMPROMISED_REFS, type CompromisedRef } from '#lib/data/curated/compromised-refs.ts';
import { ACTION_ADVISORIES, type ActionAdvisory, type AdvisorySink } from '#lib/data/generated/action-advisories.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import { nameOf, networkOf } from '#lib/facts/action-lookups.ts';
import { type ActionFacts, type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, jobOf, type Step, type Uses } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import {
  compareVersions,
  inRange,
  isExact,
  newestOf,
  parseVersion,
  type UsedVersion,
  usedVersion,
  type Version,
} from '#lib/workflow/model/versions.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { COOL_DOWN_DAYS, tooYoung } from '../remedies/cool-down.ts';
import { editUses, pinTo } from '../remedies/pin.ts';

const SNAPSHOT = provenance['action-advisories.ts'].date;

const HIJACKS: ReadonlySet<string> = new Set(COMPROMISED_REFS.map(({ action, reference }) => `${action} ${reference}`));

const BY_ACTION = new Map<string, ActionAdvisory[]>();
for (const advisory of ACTION_ADVISORIES as readonly ActionAdvisory[]) {
  if (HIJACKS.has(`${advisory.action} ${advisory.ghsa}`)) continue;
  BY_ACTION.set(advisory.action, [...(BY_ACTION.get(advisory.action) ?? []), advisory]);
}

const SEVERITIES: Readonly<Record<ActionAdvisory['severity'], Severity>> = {
  CRITICAL: 'HIGH',
  HIGH: 'HIGH',
  MODERATE: 'MEDIUM',
  LOW: 'LOW',
};
const ORDER: readonly Severity[] = ['INFO', 'LOW', 'MEDIUM', 'HIGH'];

const OFF = /^(?:|false|audit|off|none)$/i;

type Message = 'affected' | 'several' | 'affectedByComment';

export const knownVulnerableActions = defineRule({
  id: 'known-vulnerable-actions',
  meta: {
    title: 'Action version has a known vulnerability',
    why: 'The vulnerability in this version is public, often with a description of how to exploit it. A newer version fixes it.',
    attack:
      'The attacker reads the advisory, searches for workflows that use an affected version, and exploits it as described, for example with a pull request whose branch name the action inserts into a shell.',
    recommendation:
      'Upgrade to the first fixed version or a newer one, keep it pinned the way it is now, and let Dependabot update the action.',
    limits: `Without network access, only advisories published by ${SNAPSHOT} are known. The version of a pinned commit comes from its comment, unless the action’s tags are known; a pin without a version comment is not checked. A tag such as v4 counts as the newest v4. Hijacked releases are reported by compromised-action-ref only, and no upgrade leads to one. Where outsiders’ runs get no secret, write access or machine, and members’ runs a token for conversations at most, it is at most MEDIUM. If the attack is text in an input, and the file and members alone choose it, it is LOW, as is a gap in a log of what hostile code does, and a search for a run where the file names the run. Where it brings files that no later step runs or reads, it is at most MEDIUM. Below HIGH, an action that a file uses several times at one version is reported once.`,
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/advisories?query=type%3Areviewed+ecosystem%3Aactions',
      'https://docs.github.com/code-security/dependabot/dependabot-alerts/about-dependabot-alerts',
    ],
    messages: {
      affected:
        '{{name}} {{version}} is affected by {{ids}}, fixed in {{fixed}} (advisories as of {{date}}). {{summary}}{{unreached}}{{elsewhere}}',
      several:
        '{{name}} {{version}} is affected by {{ids}}, all fixed in {{fixed}} (advisories as of {{date}}). {{summary}}{{unreached}}{{elsewhere}}',
      affectedByComment:
        '{{name}} is pinned to a commit whose comment says {{version}}, a version affected by {{ids}}, fixed in {{fixed}} (advisories as of {{date}}). {{summary}}{{unreached}}{{elsewhere}}',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { workflow_call: { inputs: { image: { type: string } } }, workflow_dispatch: { inputs: { image: {} } } }
          jobs:
            called:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.33.1
                  with: { image-ref: "\${{ inputs.image }}" }
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Build], types: [completed] } }
          permissions: { contents: read }
          jobs:
            searched:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: dawidd6/action-download-artifact@v2.28.0
                  with: { workflow: build.yml, name: book }
                - run: bash book/build.sh
            value:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: dawidd6/action-download-artifact@v2.27.0
                  with: { workflow: build.yml, name: book, path: book }
                - run: gh pr comment "$(cat book/number)" --body done
            previewed:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: dawidd6/action-download-artifact@v2.26.0
                  with: { workflow: build.yml, name: book, path: book }
                - uses: acme/preview@v1
                  with: { folder: book, token: "\${{ secrets.PREVIEW }}" }
            chosen:
              runs-on: ubuntu-latest
              steps:
                # expect: affected LOW
                - uses: dawidd6/action-download-artifact@v2.28.0
                  with: { run_id: "\${{ github.event.workflow_run.id }}", name: book }
                - run: bash book/build.sh
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: affected
                - uses: actions/download-artifact@v4.1.2
                # expect: affected
                - uses: dawidd6/action-download-artifact@v5
                # expect: affectedByComment
                - uses: tj-actions/branch-names@6871f53176ad61624f978536bbf089c574dc19a2 # v8.2.0
                # expect: several
                - uses: step-security/harden-runner@v2.9.1
                  with: { egress-policy: block }
                # expect: affected
                - uses: tj-actions/verify-changed-files@v13
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            asked:
              runs-on: ubuntu-latest
              steps:
                - id: changed
                  # expect: affected LOW
                  uses: tj-actions/verify-changed-files@v13
                - if: steps.changed.outputs.files_changed == 'true'
                  run: make lock
            passed:
              runs-on: ubuntu-latest
              steps:
                - id: changed
                  # expect: affected MEDIUM
                  uses: tj-actions/verify-changed-files@v14
                - run: ./list.sh
                  env: { FILES: "\${{ steps.changed.outputs.changed_files }}" }
            whole:
              runs-on: ubuntu-latest
              steps:
                - id: changed
                  # expect: affected MEDIUM
                  uses: tj-actions/verify-changed-files@v15
                - run: ./list.sh
                  env: { STEPS: "\${{ toJSON(steps) }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            audited:
              runs-on: ubuntu-latest
              steps:
                # expect: affected LOW
                - uses: step-security/harden-runner@v2.13.1
                  with: { egress-policy: audit }
            blocked-by-default:
              runs-on: ubuntu-latest
              steps:
                # expect: several MEDIUM
                - uses: step-security/harden-runner@v2.13.1
            debugged:
              runs-on: ubuntu-latest
              steps:
                - uses: step-security/harden-runner@v2.13.1
                  with: { egress-policy: audit }
        `,
        fixed: yaml`
          on: push
          jobs:
            audited:
              runs-on: ubuntu-latest
              steps:
                # expect: affected LOW
                - uses: step-security/harden-runner@v2.16.0
                  with: { egress-policy: audit }
            blocked-by-default:
              runs-on: ubuntu-latest
              steps:
                # expect: several MEDIUM
                - uses: step-security/harden-runner@v2.16.0
            debugged:
              runs-on: ubuntu-latest
              steps:
                - uses: step-security/harden-runner@v2.16.0
                  with: { egress-policy: audit }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            images:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.33.1
                  with: { image-ref: "\${{ github.event.head_commit.message }}" }
        `,
        fixed: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            images:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.35.0
                  with: { image-ref: "\${{ github.event.head_commit.message }}" }
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, workflow_dispatch]
          env: { IMAGE: "ghcr.io/\${{ github.repository }}" }
          jobs:
            literal:
              runs-on: ubuntu-latest
              strategy: { matrix: { path: [app, lib] } }
              steps:
                # expect: affected LOW
                - uses: aquasecurity/trivy-action@0.33.0
                  with:
                    scan-ref: \${{ matrix.path }}
                    image-ref: \${{ env.IMAGE }}:\${{ github.sha }}
                    output: \${{ runner.temp }}/found.sarif
            default:
              runs-on: ubuntu-latest
              steps:
                # expect: affected LOW
                - uses: aquasecurity/trivy-action@0.32.0
            branch:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.31.0
                  with: { image-ref: "app:\${{ github.head_ref }}", format: sarif }
            dispatched:
              runs-on: ubuntu-latest
              env: { TAG: "\${{ inputs.tag || '1.2' }}" }
              steps:
                # expect: affected LOW
                - uses: aquasecurity/trivy-action@0.33.1
                  with: { image-ref: "\${{ env.IMAGE }}:\${{ env.TAG }}", exit-code: "\${{ github.event.inputs.code }}" }
            variable:
              runs-on: ubuntu-latest
              env: { TAG: "\${{ github.event.pull_request.title }}" }
              steps:
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.33.1
                  with: { image-ref: "\${{ env.IMAGE }}:\${{ env.TAG }}" }
            told:
              runs-on: ubuntu-latest
              steps:
                - id: level
                  run: |
                    if [ "$1" = all ]; then echo "found=LOW,HIGH" >> "$GITHUB_OUTPUT"
                    else echo "found=HIGH" >> "$GITHUB_OUTPUT"; fi
                - id: image
                  run: echo "name=$(cat image.txt)" >> "$GITHUB_OUTPUT"
                - id: branch
                  run: echo "name=$GITHUB_HEAD_REF" >> "$GITHUB_OUTPUT"
                # expect: affected LOW
                - uses: aquasecurity/trivy-action@v0.32.0
                  with: { severity: "\${{ steps.level.outputs.found }}" }
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@0.33.0
                  with: { image-ref: "\${{ steps.image.outputs.name }}" }
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@v0.31.0
                  with: { image-ref: "\${{ steps.branch.outputs.name }}" }
            unknown:
              runs-on: ubuntu-latest
              steps:
                - run: echo "IMAGE=$(cat image.txt)" >> "$GITHUB_ENV"
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@v0.33.1
                  with: { image-ref: "\${{ env.IMAGE }}", ignore-unfixed: true }
            file:
              runs-on: ubuntu-latest
              steps:
                - run: cat image.env >> "$GITHUB_ENV"
                # expect: affected MEDIUM
                - uses: aquasecurity/trivy-action@v0.33.0
                  with: { image-ref: "\${{ env.IMAGE }}", timeout: 9m }
            sonar:
              runs-on: ubuntu-latest
              steps:
                # expect: several LOW
                - uses: sonarsource/sonarqube-scan-action@v5.0.0
                  with: { args: "-Dsonar.token=\${{ secrets.SONAR }}", projectBaseDir: "\${{ inputs.dir }}" }
                # expect: several HIGH
                - uses: sonarsource/sonarqube-scan-action@v5.1.0
                  with: { args: "-Dsonar.branch.name=\${{ github.head_ref }}" }
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            analyzed:
              runs-on: ubuntu-latest
              steps:
                # expect: affected LOW
                - uses: github/codeql-action/init@v2
            debugged:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: github/codeql-action/init@v2
                  with: { debug: true }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: affected
                - uses: "actions/download-artifact@v4.1.2"
                # expect: affected
                - uses: actions/download-artifact@v4.1.2 # fetch
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: affected
                - uses: "actions/download-artifact@v4.1.3"
                # expect: affected
                - uses: actions/download-artifact@v4.1.3 # fetch
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: affected
                - uses: actions/download-artifact@1111111111111111111111111111111111111111 # v4.1.2
                # expect: affected
                - uses: actions/download-artifact@1111111111111111111111111111111111111111
        `,
        facts: {
          ...NO_FACTS,
          network: {
            value: {
              actions: new Map([
                [
                  'actions/download-artifact',
                  {
                    branches: new Map(),
                    tags: new Map([
                      ['v4.1.2', '1111111111111111111111111111111111111111'],
                      ['v4.1.3', '2222222222222222222222222222222222222222'],
                    ]),
                  },
                ],
              ]),
            },
          },
        },
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: affected
                - uses: actions/download-artifact@2222222222222222222222222222222222222222 # v4.1.3
                # expect: affected
                - uses: actions/download-artifact@2222222222222222222222222222222222222222 # v4.1.3
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, workflow_dispatch]
          jobs:
            fork:
              runs-on: ubuntu-latest
              steps:
                - id: names
                  # expect: affected MEDIUM
                  uses: tj-actions/branch-names@v8.0.1
                - run: git log "origin/\${{ steps.names.outputs.base_ref_branch }}"
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            checked:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: actions/download-artifact@v4.1.2
            own-machine:
              runs-on: self-hosted
              steps:
                # expect: affected HIGH
                - uses: actions/download-artifact@v4.1.0
            with-key:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: actions/download-artifact@v4.1.1
                - run: ./compare
                  env: { KEY: "\${{ secrets.SERVICE_KEY }}" }
            may-write:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: actions/download-artifact@v4.0.0
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, workflow_dispatch]
          permissions: { contents: read, checks: write, statuses: write, pull-requests: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: super-linter/super-linter@v6
                  env: { GITHUB_TOKEN: "\${{ github.token }}" }
            with-key:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6.0.0
                  env: { KEY: "\${{ secrets.LINT_KEY }}" }
            signs-in:
              permissions: { contents: read, id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6.1.0
                - uses: aws-actions/configure-aws-credentials@0123456789abcdef0123456789abcdef01234567
                  with: { role-to-assume: "\${{ vars.ROLE }}", aws-region: eu-west-1 }
            may-start-runs:
              permissions: { contents: read, actions: write }
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6.2.0
            own-machine:
              runs-on: self-hosted
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6.3.0
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, issue_comment]
          permissions: { contents: read, pull-requests: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, push]
          permissions: { contents: read, pull-requests: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: super-linter/super-linter@v6
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            reads:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: affected MEDIUM
                - uses: actions/download-artifact@v4.1.2
            undeclared:
              runs-on: ubuntu-latest
              steps:
                # expect: affected HIGH
                - uses: actions/download-artifact@v4.1.2
                # expect: affected LOW
                - uses: actions/download-artifact@v4.1.1
                  if: github.event_name == 'release'
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            base:
              runs-on: ubuntu-latest
              steps:
                - id: names
                  # expect: affected HIGH
                  uses: tj-actions/branch-names@v8.0.1
                - run: git log "origin/\${{ steps.names.outputs.base_ref_branch }}"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            analyze:
              runs-on: ubuntu-latest
              steps:
                # Only init can put secrets into its artifacts.
                - uses: github/codeql-action/autobuild@v2
                - uses: github/codeql-action/upload-sarif@v2
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                - uses: actions/download-artifact@v4.1.3
                - uses: actions/download-artifact@v3
                - uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093
                - uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4
                - uses: dawidd6/action-download-artifact@main
                # Any v2 could be at this commit; the first ones are not affected.
                - uses: github/codeql-action/init@45775bd8235c68ba998cffa5171334d58593da47 # v2
                - uses: pypa/gh-action-pypi-publish@release/v1
                # The hijack moved tags; a clean pin in the same range is safe.
                - uses: aquasecurity/trivy-action@6e7b7d1fd3e4fef0c5fa8cce1229c54b2c9bd0d8 # 0.24.0
                - uses: tj-actions/changed-files@48d8f15b2aaa3d255ca5af3eba4870f807ce6b3c # v45
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

interface Use {
  readonly report: Report<Message> & { readonly severity: Severity; readonly data: Readonly<Record<string, string>> };
  readonly key: string;
}

function* check(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  const groups = new Map<string, [Use, ...Use[]]>();
  for (const { uses, at } of usesOf(definition)) {
    const use = judge(uses, at, context);
    if (use === undefined) continue;
    const others = groups.get(use.key);
    if (use.report.severity === 'HIGH') yield use.report;
    else if (others === undefined) groups.set(use.key, [use]);
    else others.push(use);
  }
  for (const uses of groups.values()) yield merged(uses, definition);
}

function merged([first, ...others]: readonly [Use, ...Use[]], definition: Definition): Report<Message> {
  const { report } = first;
  const fix = sharedFix([first, ...others]);
  const byHand = [first, ...others].find(({ report: { fix: own } }) => own === undefined)?.report.advice;
  const count = others.length === 1 ? 'one other place' : `${others.length} more places`;
  return {
    ...report,
    at: definition,
    anchor: report.data['name'] ?? '',
    data: {
      ...report.data,
      elsewhere: others.length === 0 ? '' : ` The same version is used in ${count} in this file.`,
    },
    fix,
    advice: fix === undefined ? byHand : undefined,
  };
}

function sharedFix(uses: readonly Use[]): Fix | undefined {
  const edits = uses.map(({ report }) => report.fix?.edits);
  return edits.includes(undefined) ? undefined : { safety: 'review', edits: edits.flatMap((each) => each ?? []) };
}

function judge(uses: Uses, at: Step | Job, { facts, repository }: RuleContext): Use | undefined {
  const { reference } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const path = `${reference.slug}/${reference.path.toLowerCase()}`;
  const advisories = BY_ACTION.get(path) ?? BY_ACTION.get(reference.slug);
  if (advisories === undefined) return undefined;
  const used = usedVersion(uses, networkOf(facts)?.actions.get(reference.slug)?.tags);
  if (used === undefined) return undefined;
  const newest = newestOf(used.version);
  const hits = advisories.filter(
    ({ vulnerable, sink }) =>
      (sink?.path === undefined || sink.path === reference.path.toLowerCase()) &&
      // The comment `v2` can mean any release of v2, so the first one must be affected too.
      inRange(newest, vulnerable) &&
      (used.known !== 'comment' || inRange(used.version, vulnerable)),
  );
  if (hits.length === 0) return undefined;
  const graded = hits
    .map((advisory) => ({ advisory, ...gradeOf(advisory, at, repository) }))
    .sort((a, b) => ORDER.indexOf(b.severity) - ORDER.indexOf(a.severity) || USES.indexOf(a.use) - USES.indexOf(b.use));
  const [worst] = graded as [(typeof graded)[number]];
  const severity = severityAt(at, worst.severity, repository);
  const told = graded.filter(({ use }) => use === worst.use || use === 'found').map(({ advisory }) => advisory.ghsa);
  const fixed = notHijacked(reference.slug, firstRepaired(hits));
  const message = used.known === 'comment' ? 'affectedByComment' : told.length > 1 ? 'several' : 'affected';
  return {
    key: [reference.slug, used.tag, message, severity, ...told].join(' '),
    report: {
      message,
      data: {
        name: `${reference.owner}/${reference.repo}`,
        version: used.tag,
        ids: told.sort().join(', '),
        fixed: fixed ?? 'no release yet',
        date: SNAPSHOT,
        summary: worst.advisory.summary,
        unreached: worst.isUnreached ? ' Here the file and members of the repository choose the inputs.' : '',
        elsewhere: '',
      },
      at,
      span: uses.text.span,
      severity,
      confidence: worst.use !== 'found' ? 'low' : used.known === 'exact' ? 'high' : 'medium',
      ...(fixed === undefined ? {} : upgrade(uses, used, fixed, facts)),
      attributes: { advisories: told, version_known: used.known },
    },
  };
}

function severityAt(at: Step | Job, severity: Severity, repository: Repository): Severity {
  if (!runsHere(at, repository)) return severity === 'INFO' ? 'INFO' : 'LOW';
  const job = at.kind === 'job' ? at : jobOf(at);
  return severity === 'HIGH' && job !== undefined && hasNothingToLose(job, repository) ? 'MEDIUM' : severity;
}

/** Runs for pull requests of forks get a token that can only read; others that outsiders start write the shared cache. */
function hasNothingToLose(job: Job, repository: Repository): boolean {
  if (privilegedOutsiderEvents(job, repository).length > 0) return false;
  if (isLowValueTarget(job, repository)) return true;
  const { triggers } = job.workflow;
  if (triggers.length === 0 || job.uses !== undefined || runnerKindIn(job, repository) === 'self-hosted') return false;
  const unprivileged = triggers.every(({ event }) => reachOf(event) === 'outsider-unprivileged');
  return (unprivileged && !credentialsOf(job).any) || onlyTalksToMembers(job, repository);
}

const OF_FORKS_OR_MEMBERS: ReadonlySet<string> = new Set(['pull_request', 'workflow_dispatch']);

function onlyTalksToMembers(job: Job, repository: Repository): boolean {
  const { secrets, mintsOidc } = credentialsOf(job);
  return (
    job.workflow.triggers.every(({ event }) => OF_FORKS_OR_MEMBERS.has(event)) &&
    tokenPermissions(job).declared !== undefined &&
    !writesMoreThanTalk(job, repository) &&
    secrets.length === 0 &&
    !(mintsOidc && identityUse(job, repository) !== 'none') &&
    !releaseJobs(repository).has(job)
  );
}

type SinkUse = (typeof USES)[number];
const USES = ['found', 'open', 'absent'] as const;

interface Grade {
  readonly severity: Severity;
  readonly use: SinkUse;
  readonly isUnreached: boolean;
}

function gradeOf({ severity, sink = {} }: ActionAdvisory, at: Step | Job, repository: Repository): Grade {
  const full = SEVERITIES[severity];
  const isUnreached = takesNothingOfOutsiders(sink, at, repository);
  const uses = [
    inputUse(sink, at),
    triggerUse(sink, at),
    outputUse(sink, at),
    choiceUse(sink, at),
    fileUse(sink, at, repository),
  ];
  if (sink.hides === true) return { severity: 'LOW', use: 'found', isUnreached };
  if (isUnreached || uses.includes('absent')) return { severity: 'LOW', use: 'absent', isUnreached };
  if (uses.includes('open')) return { severity: ORDER[ORDER.indexOf(full) - 1] ?? 'INFO', use: 'open', isUnreached };
  return { severity: full, use: 'found', isUnreached };
}

function takesNothingOfOutsiders({ crafted, input }: AdvisorySink, at: Step | Job, repository: Repository): boolean {
  const { entries = [], expression } = at.with ?? {};
  const names = input?.map((name) => name.toLowerCase());
  const given = entries.filter(({ name }) => names === undefined || names.includes(name.toLowerCase()));
  return (
    crafted === true &&
    expression === undefined &&
    (given.length > 0 || names === undefined) &&
    given.every(({ value }) => isChosenByMembers(value, at, repository))
  );
}

function inputUse({ input, byDefault }: AdvisorySink, at: Step | Job): SinkUse {
  if (input === undefined) return 'found';
  const values = input.flatMap((name) => at.with?.get(name)?.value ?? []);
  if (at.with?.expression !== undefined) return 'open';
  const isSet = values.length === 0 ? byDefault === true : values.some(({ value }) => !OFF.test(value.trim()));
  return isSet ? 'found' : 'absent';
}

function triggerUse({ trigger }: AdvisorySink, at: Step | Job): SinkUse {
  if (trigger === undefined) return 'found';
  const workflow = at.kind === 'job' ? at.workflow : at.parent.kind === 'job' ? at.parent.workflow : undefined;
  if (workflow === undefined || workflow.triggers.some(({ event }) => event === 'workflow_call')) return 'open';
  return workflow.triggers.some(({ event }) => trigger.includes(event)) ? 'found' : 'absent';
}

function outputUse({ output }: AdvisorySink, at: Step | Job): SinkUse {
  if (output === undefined) return 'found';
  if (pastesOutputs(at)) return mayBePrivileged(at) ? 'found' : 'open';
  return at.kind === 'step' && !isNamed(at) ? 'absent' : 'open';
}

function choiceUse({ unless = [] }: AdvisorySink, at: Step | Job): SinkUse {
  return unless.some((name) => at.with?.get(name) !== undefined) ? 'absent' : 'found';
}

function fileUse({ plantsFiles }: AdvisorySink, at: Step | Job, repository: Repository): SinkUse {
  const job = at.kind === 'job' ? undefined : jobOf(at);
  if (plantsFiles !== true || job === undefined) return 'found';
  const download = foreignDownloads(job, repository).find(({ step }) => step === at);
  return download !== undefined && useOf(download, repository) === undefined ? 'open' : 'found';
}

function mayBePrivileged(at: Step | Job): boolean {
  const workflow = at.kind === 'job' ? at.workflow : at.parent.kind === 'job' ? at.parent.workflow : undefined;
  return workflow === undefined || workflow.triggers.some(({ event }) => !OF_MEMBERS_AND_FORKS.has(event));
}

const OF_MEMBERS_AND_FORKS: ReadonlySet<string> = new Set([
  ...['create', 'delete', 'deployment', 'merge_group', 'pull_request', 'pull_request_review', 'push', 'release'],
  ...['pull_request_review_comment', 'repository_dispatch', 'schedule', 'workflow_dispatch'],
]);

function pastesOutputs(at: Step | Job): boolean {
  if (at.kind === 'job' || at.id === undefined) return at.kind === 'job';
  const outputs = `steps.${at.id.value}.outputs`;
  const texts = at.parent.steps.flatMap(({ run, with: inputs }) => [run, inputs?.get('script')?.value]);
  texts.push(...(at.parent.outputs?.entries ?? []).map(({ value }) => value));
  return texts.some((text) => text?.value.includes(outputs) === true);
}

function isNamed({ id, parent }: Step): boolean {
  if (id === undefined) return false;
  const variables = [parent.outputs, ...parent.steps.flatMap(({ with: inputs, env }) => [inputs, env])];
  const texts = variables.flatMap((each) => (each?.entries ?? []).map(({ value }) => value));
  texts.push(...parent.steps.flatMap(({ run }) => run ?? []));
  return texts.some(
    ({ value }) => /\bsteps\b/i.test(value) && (/\bsteps\s*[)[]/i.test(value) || value.includes(id.value)),
  );
}

function firstRepaired(advisories: readonly ActionAdvisory[]): string | undefined {
  let latest: string | undefined;
  for (const { fixed } of advisories) {
    const version = fixed === null ? undefined : parseVersion(fixed);
    if (fixed === null || version === undefined) return undefined;
    const before = latest === undefined ? undefined : parseVersion(latest);
    if (before === undefined || compareVersions(version, before) > 0) latest = fixed;
  }
  return latest;
}

function notHijacked(slug: string, release: string | undefined): string | undefined {
  const hijack = (COMPROMISED_REFS as readonly CompromisedRef[]).find(
    ({ action, tags }) => action === slug && release !== undefined && tags !== null && tags.names.includes(release),
  );
  return hijack === undefined ? release : (hijack.cleanFrom ?? undefined);
}

function upgrade(uses: Uses, used: UsedVersion, fixed: string, facts: Facts): Pick<Report, 'fix' | 'advice'> {
  const { reference } = uses;
  const version = parseVersion(fixed);
  if (reference?.kind !== 'repository' || version === undefined) return {};
  const name = nameOf(reference);
  if (version.numbers[0] !== used.version.numbers[0]) {
    return {
      advice: `${name} ${used.tag} is fixed only in ${fixed}, another major version, whose inputs may differ: read its release notes, then pin the commit of ${fixed} or a newer release.`,
    };
  }
  const network = networkOf(facts);
  const known = network?.actions.get(reference.slug);
  const release = known === undefined ? undefined : releaseOf(version, known);
  const days =
    network === undefined || known === undefined || release === undefined
      ? undefined
      : tooYoung(network, known, release.commit);
  if (days !== undefined) {
    return {
      advice: `Release ${fixed} of ${name} is ${days} ${days === 1 ? 'day' : 'days'} old. Fixes use releases that are at least ${COOL_DOWN_DAYS} days old, because most hijacked releases are discovered within that time. Review the changes, and upgrade earlier if this vulnerability is the greater risk for you.`,
    };
  }
  if (isFullSha(reference.ref)) {
    if (release === undefined) {
      return {
        advice: `The commit of ${name} ${fixed} is unknown: look it up and pin it with the comment "# ${fixed}".`,
      };
    }
    return { fix: pinTo(uses, release.commit, release.tag, 'review') };
  }
  if (used.known === 'comment' || used.tag !== reference.ref) return {};
  const count = used.known === 'exact' ? Math.max(3, version.numbers.length) : used.version.numbers.length;
  const target = Array.from({ length: count }, (_, index) => version.numbers[index] ?? 0).join('.');
  const part = { start: reference.refStart, end: reference.refStart + reference.ref.length };
  return { fix: editUses(uses, part, `${used.tag.startsWith('v') ? 'v' : ''}${target}`, 'review') };
}

interface Release {
  readonly tag: string;
  readonly commit: string;
}

function releaseOf(version: Version, { tags }: ActionFacts): Release | undefined {
  for (const [tag, commit] of tags) {
    const each = parseVersion(tag);
    if (each !== undefined && isExact(each) && compareVersions(each, version) === 0) return { tag, commit };
  }
  return undefined;
}
