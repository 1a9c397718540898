import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isChatAddress } from '#lib/analysis/privileges/secret-names.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import type { Facts } from '#lib/facts/facts.ts';
import type { Job, Step, UsesSite } from '#lib/workflow/model/model.ts';
import { jobOf } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { factsWith } from '../remedies/inserted-actions.ts';
import { replaceArchived } from '../remedies/replace-archived.ts';
import { successorOfArchived } from '../shared/archived-actions.ts';

const SNAPSHOT = provenance['archived-actions.ts'].date;

type Message = 'archived' | 'replaced';

const refs = { tags: new Map<string, string>(), branches: new Map<string, string>() };
const ONLINE: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        ['acme/retired', { ...refs, archived: true }],
        ['actions-rs/cargo', { ...refs, archived: false }],
      ]),
    },
  },
};

export const archivedUses = defineRule({
  id: 'archived-uses',
  meta: {
    title: 'Action’s repository is archived',
    why: 'Nobody maintains an archived action: vulnerabilities in it or in its bundled dependencies stay unfixed, and it breaks when the platform changes.',
    attack:
      'An attacker exploits a vulnerability in the action, or in a library it bundles, against every workflow that still uses it. No patched release will come.',
    recommendation:
      'Switch to a maintained action that does the same, or replace the step with a few lines of script. Check the inputs: successors rarely accept the same ones.',
    limits: `Offline, the rule uses a list of archived actions from ${SNAPSHOT}. Online, GitHub’s answer takes precedence. Abandoned actions that are not archived are not reported.`,
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/archiving-a-github-repository/archiving-repositories',
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    ],
    messages: {
      archived: '{{name}} is archived and no longer maintained.',
      replaced: '{{name}} is archived and no longer maintained. Its successor is {{successor}}.',
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
                # expect: replaced
                - uses: actions/create-release@v1
                # expect: archived
                - uses: Actions-RS/cargo@844f36862e911db73fe0815f00a4a2602c279505 # v1.0.3
                # expect: replaced
                - uses: actions-rs/toolchain@v1
        `,
      },
      {
        facts: ONLINE,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: archived
                - uses: acme/retired@v1
        `,
      },
      {
        facts: factsWith([
          {
            owner: 'SonarSource',
            repo: 'sonarqube-scan-action',
            path: '',
            tag: 'v6',
            definition: 'inputs:\n  args: {}\n  projectBaseDir: {}\n',
          },
          {
            owner: 'gradle',
            repo: 'actions',
            path: 'setup-gradle',
            tag: 'v5',
            definition: 'inputs:\n  gradle-version: {}\noutputs:\n  build-scan-url: {}\n',
          },
        ]),
        yaml: yaml`
          on: push
          jobs:
            check:
              runs-on: ubuntu-latest
              steps:
                # expect: replaced
                - uses: SonarSource/sonarcloud-github-action@v3 # v3.1.0
                  with:
                    args: -Dsonar.verbose=true
                  env:
                    SONAR_TOKEN: \${{ secrets.SONAR_TOKEN }}
                # expect: replaced
                - uses: "gradle/gradle-build-action@v2"
                  id: gradle
                  with: { gradle-version: wrapper }
                - run: echo "$URL"
                  env: { URL: "\${{ steps.gradle.outputs.build-scan-url }}" }
        `,
        fixed: yaml`
          on: push
          jobs:
            check:
              runs-on: ubuntu-latest
              steps:
                # expect: replaced
                - uses: SonarSource/sonarqube-scan-action@1111111111111111111111111111111111111111 # v6.99.0
                  with:
                    args: -Dsonar.verbose=true
                  env:
                    SONAR_TOKEN: \${{ secrets.SONAR_TOKEN }}
                # expect: replaced
                - uses: "gradle/actions/setup-gradle@1111111111111111111111111111111111111111" # v5.99.0
                  id: gradle
                  with: { gradle-version: wrapper }
                - run: echo "$URL"
                  env: { URL: "\${{ steps.gradle.outputs.build-scan-url }}" }
        `,
      },
      {
        facts: factsWith([
          {
            owner: 'gradle',
            repo: 'actions',
            path: 'setup-gradle',
            tag: 'v5',
            definition: 'inputs:\n  arguments: { deprecation-message: removed }\n',
          },
        ]),
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: replaced
                - uses: gradle/gradle-build-action@v2
                  with: { arguments: build }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            notify:
              runs-on: ubuntu-latest
              steps:
                # expect: archived LOW
                - uses: 8398a7/action-slack@v3
                  env: { SLACK_WEBHOOK_URL: "\${{ secrets.SLACK_CI_NOTIFY }}" }
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: replaced MEDIUM
                - uses: actions/create-release@v1
                  env: { TOKEN: "\${{ secrets.RELEASE_TOKEN }}" }
        `,
      },
    ],
    good: [
      {
        facts: ONLINE,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # Maintained again.
                - uses: actions-rs/cargo@v1
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: acme/create-release@v1
                - uses: ./.github/actions/create-release
        `,
      },
    ],
  },
  check: { uses: check },
});

function* check({ uses, at }: UsesSite, { facts }: RuleContext): Generator<Report<Message>> {
  const { reference, text } = uses;
  if (reference?.kind !== 'repository') return;
  const successor = successorOfArchived(reference.slug, facts);
  if (successor === undefined) return;
  yield {
    message: successor === '' ? 'archived' : 'replaced',
    data: { name: `${reference.owner}/${reference.repo}`, successor },
    at,
    span: text.span,
    severity: hasAccess(at) ? 'MEDIUM' : 'LOW',
    ...replaceArchived(uses, at, successor === '' ? undefined : successor, facts),
  };
}

function hasAccess(at: Step | Job): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (job === undefined) return false;
  const { secrets, grantsWrite, mintsOidc } = credentialsOf(job);
  return grantsWrite || mintsOidc || secrets.some((name) => !isChatAddress(name));
}
