import { secretsRead } from '#lib/analysis/dataflow/secret-use.ts';
import { indentUnit, mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import type { CallJob, Job, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { entryOf, valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'movable' | 'fixed' | 'local' | 'unread';

export const secretsInherit = defineRule({
  id: 'secrets-inherit',
  meta: {
    title: 'Called workflow receives all secrets',
    why: '`secrets: inherit` passes all secrets of the repository and organization to the called workflow, including those it does not need. Whoever controls that workflow’s file, or code it runs, can steal them all.',
    attack:
      'The called workflow’s repository, or an action it uses, is compromised; its next version prints or sends out every secret that this caller can read.',
    recommendation:
      'Pass the secrets that the called workflow needs by name: `secrets: { NPM_TOKEN: ${{ secrets.NPM_TOKEN }} }`.',
    limits:
      'Files of other repositories are not read. Whether another repository belongs to the same owner is known only from the scanned repository’s remote, or from a condition that names the owner. GitHub passes inherited secrets on only within one organization or enterprise; whether two owners share an enterprise is not known.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/reuse-automations/reuse-workflows#passing-inputs-and-secrets-to-a-reusable-workflow',
    ],
    messages: {
      movable: 'All secrets are passed to {{callee}} in another repository, at a mutable ref.',
      fixed: 'All secrets are passed to {{callee}} in another repository.',
      local: 'All secrets are passed to {{callee}}, which reads only {{read}}.',
      unread: 'All secrets are passed to {{callee}}; it is not clear which of them it reads.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              release:
                uses: ./.github/workflows/release.yml
                # expect: local
                secrets: inherit
          `,
          '.github/workflows/release.yml': yaml`
            on:
              workflow_call:
                secrets:
                  npm_token: { required: true }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish
                    env:
                      NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
          `,
        },
        fixed: yaml`
          on: push
          jobs:
            release:
              uses: ./.github/workflows/release.yml
              # expect: local
              secrets:
                npm_token: \${{ secrets.npm_token }}
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            check:
              if: github.repository_owner == 'acme'
              uses: other/workflows/.github/workflows/check.yml@main
              # expect: movable
              secrets: inherit
            build:
              uses: acme/workflows/.github/workflows/build.yml@v1
              # expect: movable
              secrets: inherit
            pinned:
              uses: other/workflows/.github/workflows/check.yml@08c6903cd8c0fde910a37f88322edcfb5dd907a8
              # expect: fixed
              secrets: inherit
            gone:
              uses: ./.github/workflows/elsewhere.yml
              # expect: unread
              secrets: inherit
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              test:
                uses: ./.github/workflows/test.yml
                secrets: inherit
              release:
                uses: acme/workflows/.github/workflows/release.yml@v1
                secrets:
                  token: \${{ secrets.TOKEN }}
          `,
          '.github/workflows/test.yml': yaml`
            on: workflow_call
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - run: gh api /rate_limit
                    env:
                      GH_TOKEN: \${{ secrets.GITHUB_TOKEN }}
          `,
        },
      },
    ],
  },
  check: { callJob: check },
});

function* check(job: CallJob, { repository }: RuleContext): Generator<Report<Message>> {
  const reference = job.uses.reference;
  const span = entryOf(job.mapping, 'secrets')?.span;
  if (job.secretsInherit === undefined || reference === undefined || span === undefined) return;
  const shared = { at: job, span, attributes: { kind: 'repo-secret' } };
  if (reference.kind === 'repository') {
    const movable = !isFullSha(reference.ref);
    const { owners } = repository;
    yield {
      ...shared,
      message: movable ? 'movable' : 'fixed',
      data: { callee: `${reference.owner}/${reference.repo}/${reference.path}` },
      severity: movable && !owners.has(reference.owner.toLowerCase()) ? 'MEDIUM' : 'LOW',
      confidence: owners.size > 0 ? 'high' : 'medium',
    };
  } else if (reference.kind === 'local') {
    const callee = repository.workflowAt(reference.path);
    const read = callee === undefined ? new Set(['*']) : secretsRead(callee);
    if (read.size === 0) return;
    const known = !read.has('*');
    const names = [...read].sort().map((name) => name.toUpperCase());
    yield {
      ...shared,
      message: known ? 'local' : 'unread',
      data: { callee: reference.path, read: names.length > 4 ? `${names.length} of them` : names.join(', ') },
      severity: 'LOW',
      fix: known && callee !== undefined ? nameThem(job, callee, read) : undefined,
    };
  }
}

/** Works only if the callee declares each secret that it reads: others cannot be passed by name. */
function nameThem(job: Job, callee: Workflow, read: ReadonlySet<string>): Fix | undefined {
  const call = callee.triggers.find(({ event }) => event === 'workflow_call');
  const declared = valueOf(call?.settings, 'secrets');
  if (declared?.kind !== 'mapping' || !mayInsert(job.workflow)) return undefined;
  const names = [...declared.entries.keys()].filter((name) => read.has(name.toLowerCase()));
  if (names.length !== read.size) return undefined;
  const secrets = Object.fromEntries(names.map((name) => [name, `\${{ secrets.${name} }}`]));
  const edit = setKey(job.mapping, 'secrets', secrets, { unit: indentUnit(job.workflow) });
  return edit && { safety: 'review', edits: [edit] };
}
