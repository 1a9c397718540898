import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, RELEASE_CREDENTIAL } from '../combo.ts';

export const dispatchInputToPrivilegedShell = defineCombo({
  id: 'dispatch-input-to-privileged-shell',
  title: 'Dispatch input is shell code in a privileged job',
  severity: 'MEDIUM',
  slots: {
    // To name a ref takes a right to push, with which the file can be changed as well.
    script: { any: [{ rule: 'template-injection', where: { message: 'member', source: ['input', 'dispatch'] } }] },
    credential: RELEASE_CREDENTIAL,
  },
  join: { same: 'job' },
  stages: [
    {
      title: 'A token that may start workflows is stolen',
      description: 'It need not reach the secrets of this job, nor push.',
    },
    {
      slot: 'script',
      title: 'The input becomes part of a script',
      description: 'The workflow is started with shell syntax in the input.',
    },
    { title: 'The credential leaves', description: 'The injected command reads the release’s secret or identity.' },
  ],
  impact: 'A small right inside the repository becomes the right to release.',
  breakChain: {
    text: 'Give the value to the script through `env:`, quote the variable, and make the input a `choice` where it can be.',
    slot: 'script',
  },
  references: ['https://docs.github.com/actions/concepts/security/script-injections'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { workflow_dispatch: { inputs: { version: { type: string } } } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm version \${{ inputs.version }}
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] }, workflow_dispatch: { inputs: { tag: { type: string } } } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm version \${{ github.event.inputs.tag || github.ref_name }}
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { workflow_dispatch: { inputs: { version: { type: string } } } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm version "$VERSION"
                  env: { VERSION: "\${{ inputs.version }}" }
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] }, workflow_dispatch: {} }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm version \${{ github.ref_name }}
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm version \${{ github.event.release.tag_name }}
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
});
