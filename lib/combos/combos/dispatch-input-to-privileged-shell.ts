import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, RELEASE_CREDENTIAL } from '../combo.ts';

export const dispatchInputToPrivilegedShell = defineCombo({
  id: 'dispatch-input-to-privileged-shell',
  title: 'Dispatch input is shell code in a privileged job',
  severity: 'MEDIUM',
  slots: {
    // Excludes ref names: whoever can name a ref can push, and so could change the file as well.
    script: { any: [{ rule: 'template-injection', where: { message: 'member', source: ['input', 'dispatch'] } }] },
    credential: RELEASE_CREDENTIAL,
  },
  join: { same: 'job' },
  stages: [
    {
      title: 'A token that can start workflows is stolen',
      description: 'It needs neither push access nor access to this job’s secrets.',
    },
    {
      slot: 'script',
      title: 'The input becomes part of a script',
      description: 'The attacker starts the workflow with shell syntax in the input.',
    },
    {
      title: 'The credential is stolen',
      description: 'The injected command reads the secret or identity of the release.',
    },
  ],
  impact: 'Permission to start a workflow becomes permission to publish a release.',
  breakChain: {
    text: 'Pass the value to the script through `env:`, quote the variable, and make the input a `choice` where possible.',
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
