import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

const PINNED = yaml`
  on: { push: { tags: ['v*'] } }
  permissions: { contents: write }
  jobs:
    release:
      runs-on: ubuntu-latest
      steps:
        - uses: actions/checkout@0123456789abcdef0123456789abcdef01234567 # v6.0.2
`;

export const forgedPin = defineCombo({
  id: 'forged-pin',
  title: 'Pin refers to a fork’s commit under a misleading comment',
  severity: 'CRITICAL',
  slots: {
    commit: { any: [{ rule: 'impostor-commit' }] },
    comment: { any: [{ rule: 'ref-version-mismatch' }, { fact: 'pin-comment-present' }] },
  },
  join: { same: 'step' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'commit', where: { severity: 'HIGH' } },
      because: 'It is not certain that the commit belongs to no branch or tag of the action’s repository.',
    },
  ],
  stages: [
    {
      title: 'An attacker swaps the commit',
      description: 'A pull request or a stolen account replaces the hash with one that exists only in a fork.',
    },
    {
      slot: 'comment',
      title: 'The comment still names a release',
      description: 'To a reviewer it looks like a routine update.',
    },
    {
      slot: 'commit',
      title: 'The fork’s code runs',
      description: 'GitHub resolves commits of forks under the original repository’s name.',
    },
  ],
  impact: 'The pin that should keep outsiders out brings their code into the run.',
  breakChain: {
    text: 'On every pull request, check that each pin is on a branch or tag of its repository.',
    slot: 'commit',
  },
  references: [
    'https://www.chainguard.dev/unchained/what-the-fork-imposter-commits-in-github-actions-and-ci-cd',
    'https://github.com/advisories/GHSA-69fq-xp46-6x23',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: PINNED,
        findings: [{ ruleId: 'impostor-commit', message: 'disguised', job: 'release', step: 0 }],
      },
    ],
    good: [{ yaml: PINNED }],
  },
});
