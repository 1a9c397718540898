import { knownUsesOf, nameOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { Definition } from '#lib/workflow/model/model.ts';
import { tagInComment } from '#lib/workflow/model/versions.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { editUses } from '../remedies/pin.ts';

type Message = 'foreign' | 'disguised';

const FOREIGN = 'f'.repeat(40);
const OWN = '1'.repeat(40);

const ACME: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map([['main', '9'.repeat(40)]]),
            tags: new Map([['v1.1.0', '2'.repeat(40)]]),
            commits: new Map([
              [FOREIGN, 'foreign'],
              [OWN, 'own'],
              ['3'.repeat(40), 'missing'],
            ] as const),
          },
        ],
      ]),
    },
  },
};

export const impostorCommit = defineRule({
  id: 'impostor-commit',
  meta: {
    title: 'Impostor commit: pinned commit is on no branch or tag',
    why: 'GitHub stores a repository and all of its forks together, so a commit of any fork can be fetched under the name of the original. Such a pin looks like trusted code but may be an attacker’s.',
    attack:
      'An attacker forks a well-known action, commits malicious code to the fork, and opens a pull request that “updates” the pin to that commit. The line still names the well-known repository.',
    recommendation:
      'Open the commit’s page: GitHub shows a warning if it belongs to no branch. Pin the commit of a release tag instead.',
    limits:
      'Needs network access. A commit of a branch that has since been deleted or rewritten looks like a fork’s; without a version in its comment, such a pin gets a lower severity. Whether a branch is older than the commit is judged by their dates, with a tolerance of two days. A commit with too many branches and tags to compare is reported as not assessed.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network', 'commits'],
    since: '0.1.0',
    references: [
      'https://www.chainguard.dev/unchained/what-the-fork-imposter-commits-in-github-actions-and-ci-cd',
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    ],
    messages: {
      foreign:
        '{{name}} is pinned to {{commit}}, which is on no branch or tag of {{repository}} and may come from a fork.',
      disguised:
        '{{name}} is pinned to {{commit}}, which is on no branch or tag of {{repository}}, although its comment claims {{tag}}.',
    },
  },
  examples: {
    bad: [
      {
        facts: ACME,
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: disguised
                - uses: acme/deploy@ffffffffffffffffffffffffffffffffffffffff # v1.1.0
        `,
        fixed: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: disguised
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1.1.0
        `,
      },
      {
        facts: ACME,
        yaml: yaml`
          on: push
          jobs:
            release:
              # expect: foreign
              uses: acme/deploy/.github/workflows/release.yml@FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        `,
      },
    ],
    good: [
      {
        facts: ACME,
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/deploy@1111111111111111111111111111111111111111
                # The commit exists nowhere: the run fails without running any code.
                - uses: acme/deploy@3333333333333333333333333333333333333333 # v1.1.0
                # The commit is unknown.
                - uses: acme/deploy@4444444444444444444444444444444444444444
                - uses: other/tool@ffffffffffffffffffffffffffffffffffffffff
                - uses: acme/deploy@v1.1.0
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  for (const { uses, at, reference, known } of knownUsesOf(definition, facts)) {
    const commit = reference.ref.toLowerCase();
    if (known.commits?.get(commit) !== 'foreign') continue;
    const claimed = tagInComment(uses.comment);
    const target = claimed === undefined ? undefined : known.tags.get(claimed);
    yield {
      message: claimed === undefined ? 'foreign' : 'disguised',
      data: {
        name: nameOf(reference),
        repository: `${reference.owner}/${reference.repo}`,
        commit: commit.slice(0, 12),
        tag: claimed ?? '',
      },
      at,
      span: uses.text.span,
      severity: claimed === undefined ? 'MEDIUM' : 'HIGH',
      fix:
        target === undefined
          ? undefined
          : editUses(uses, { start: reference.refStart, end: reference.refStart + commit.length }, target, 'review'),
    };
  }
}
