import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const forkArtifactInPrivilegedRun = defineCombo({
  id: 'fork-artifact-in-privileged-run',
  title: 'Fork-built artifact executed by a privileged follow-up run',
  severity: 'CRITICAL',
  slots: {
    upload: { any: [{ fact: 'artifact-upload', where: { outsider: true } }] },
    artifact: {
      any: [
        {
          rule: 'artifact-poisoning',
          atLeast: 'MEDIUM',
          where: { use: ['executed', 'expanded', 'variables', 'overwrites'] },
        },
      ],
    },
    effect: { optional: true, any: [{ rule: 'github-env' }, { rule: 'template-injection', atLeast: 'MEDIUM' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { from: ['upload'], by: 'artifact' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'artifact', where: { severity: 'HIGH' } },
      because: 'Whether a fork can make the artifact, or whether its content is run, is likely and not certain.',
    },
    WEAK_CREDENTIAL,
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      title: 'A fork’s pull request shapes the artifact',
      description:
        'Its run uses the fork’s own version of the workflow, so the artifact holds whatever the fork wants.',
    },
    {
      title: 'A privileged run starts',
      description: 'The follow-up workflow runs on the default branch with the base repository’s rights.',
    },
    {
      slot: 'artifact',
      title: 'The artifact is taken in',
      description: 'Its files land where programs are run from, or its text in variables or scripts.',
    },
    {
      slot: 'effect',
      title: 'Its content runs',
      description: 'What the fork wrote is executed in the privileged job.',
    },
    { slot: 'loose', title: 'The credential leaves', description: 'The code reads the token or secret of the job.' },
  ],
  impact: 'Anybody with an account takes over the repository through a workflow that never checks out fork code.',
  breakChain: {
    text: 'Unpack the artifact into an empty folder, treat it as data, and check each value as a whole before use.',
    slot: 'artifact',
  },
  references: [
    'https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust',
    'https://www.legitsecurity.com/blog/github-privilege-escalation-vulnerability',
    'https://github.com/advisories/GHSA-5xr6-xhww-33m4',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
          '.github/workflows/comment.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { contents: write }
            jobs:
              comment:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}" }
                  - run: bash out/comment.sh
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            name: Test
            on: push
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
          '.github/workflows/comment.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { contents: write }
            jobs:
              comment:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}" }
                  - run: bash out/comment.sh
          `,
        },
      },
    ],
  },
});
