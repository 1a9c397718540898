import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const forkArtifactInPrivilegedRun = defineCombo({
  id: 'fork-artifact-in-privileged-run',
  title: 'Fork-built artifact executed by a privileged follow-up run',
  severity: 'CRITICAL',
  slots: {
    upload: { any: [{ fact: 'artifact-upload', where: { outsider: true } }, { fact: 'pull-request-artifact' }] },
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
      because: 'It is likely but not certain that a fork can produce the artifact or that its content is executed.',
    },
    {
      lower: 1,
      unless: { slot: 'artifact', where: { run_relation: ['fork', 'unknown'] } },
      because: 'As far as the file shows, someone approves the run first.',
    },
    ...WEAK_CREDENTIAL,
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      title: 'A fork’s pull request controls the artifact',
      description:
        'Its run uses the fork’s own version of the workflow, so the artifact contains whatever the fork wants.',
    },
    {
      title: 'A privileged run starts',
      description: 'The follow-up workflow runs on the default branch with the base repository’s privileges.',
    },
    {
      slot: 'artifact',
      title: 'The run downloads the artifact',
      description: 'Its files land where programs are executed, or its text in variables or scripts.',
    },
    {
      slot: 'effect',
      title: 'Its content is executed',
      description: 'The fork’s code runs in the privileged job.',
    },
    { slot: 'loose', title: 'The credential is stolen', description: 'The code reads the job’s token or secret.' },
  ],
  impact:
    'Anyone with a GitHub account can take over the repository through a workflow that never checks out fork code.',
  breakChain: {
    text: 'Extract the artifact into an empty directory, treat it as data, and validate each value before use.',
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
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/comment.sh
          `,
        },
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
          permissions: { contents: write }
          jobs:
            site:
              if: github.event.workflow_run.event == 'pull_request'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: site, path: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                - run: bash site/build.sh
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
          permissions: { contents: read }
          jobs:
            number:
              if: github.event.workflow_run.event == 'pull_request'
              runs-on: ubuntu-latest
              outputs: { n: "\${{ steps.n.outputs.n }}" }
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: pr, path: pr, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                - { id: n, run: 'echo "n=$(cat pr/number)" >> $GITHUB_OUTPUT' }
            preview:
              needs: number
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh pr-\${{ needs.number.outputs.n }}
                  env: { TOKEN: "\${{ secrets.SURGE_TOKEN }}" }
        `,
      },
      {
        severity: 'MEDIUM',
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
          '.github/workflows/publish.yml': yaml`
            on: { issue_comment: { types: [created] } }
            permissions: { contents: write }
            jobs:
              publish:
                if: github.event.issue.pull_request
                runs-on: ubuntu-latest
                steps:
                  - uses: prince-chrismc/check-actor-permissions-action@v4
                    with: { permission: write }
                  - uses: dawidd6/action-download-artifact@v9
                    with: { pr: "\${{ github.event.issue.number }}", workflow: test.yml, name: report, path: out, allow_forks: true }
                  - run: bash out/comment.sh
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
          permissions: { contents: write }
          jobs:
            site:
              if: github.event.workflow_run.event == 'push'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: site, path: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                - run: bash site/build.sh
        `,
      },
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
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/comment.sh
          `,
        },
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
          permissions: { contents: read }
          jobs:
            number:
              if: github.event.workflow_run.event == 'pull_request'
              runs-on: ubuntu-latest
              outputs: { n: "\${{ steps.n.outputs.n }}" }
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: pr, path: pr, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                - { id: n, run: 'echo "n=$(cat pr/number)" >> $GITHUB_OUTPUT' }
            preview:
              needs: number
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh "pr-$N"
                  env: { N: "\${{ needs.number.outputs.n }}", TOKEN: "\${{ secrets.SURGE_TOKEN }}" }
            other:
              runs-on: ubuntu-latest
              steps:
                - run: ./sync.sh
                  env: { TOKEN: "\${{ secrets.BOT_TOKEN }}" }
        `,
      },
    ],
  },
});
