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
  title: 'Pin names a fork’s commit under an innocent comment',
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
      because: 'That the commit belongs to no branch or tag of the action’s repository could not be told for certain.',
    },
  ],
  stages: [
    {
      title: 'Somebody swaps the commit',
      description: 'A pull request or a stolen account replaces the hash by one that only a fork has.',
    },
    {
      slot: 'comment',
      title: 'The comment still names a release',
      description: 'Review sees what looks like a routine update.',
    },
    {
      slot: 'commit',
      title: 'The fork’s code runs',
      description: 'The platform finds commits of forks under the name of the original.',
    },
  ],
  impact: 'The pin that should have kept strangers out carries their code into the run.',
  breakChain: {
    text: 'Compare each pin with the branches and tags of its repository on every pull request.',
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
