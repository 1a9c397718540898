import { expressionTexts } from '#lib/analysis/dataflow/secret-use.ts';
import { taintsOf } from '#lib/analysis/dataflow/taint.ts';
import { worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { type ExpressionNode, expressionsIn, nodesOf } from '#lib/workflow/expressions/expression.ts';
import type { Definition, Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { listSecrets } from '../remedies/list-secrets.ts';

type Message = 'whole' | 'chosen' | 'outsider' | 'matrix';

export const overprovisionedSecrets = defineRule({
  id: 'overprovisioned-secrets',
  meta: {
    title: 'Runner receives all secrets',
    why: 'A job receives only the secrets that its expressions name. An expression that takes the whole `secrets` object, or computes the name, makes the runner receive all of them, and any code in the job can read them from memory or the environment.',
    attack:
      'An action or package in the job turns malicious and finds every secret of the repository and organization in one place. The tj-actions attack of 2025 read secrets from the runner’s memory.',
    recommendation:
      'Name each secret that is needed: `${{ secrets.NPM_TOKEN }}`. If a matrix selects the name, write separate jobs or use one environment per entry.',
    limits: 'Which secrets exist is not known. Names computed from repository variables are reported like any other.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: ['https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information'],
    messages: {
      whole: 'This expression uses the whole secrets object, so the runner receives every secret.',
      chosen: 'The secret’s name is computed from {{key}}, so the runner receives every secret.',
      outsider: 'The secret’s name comes from {{key}}, which an outsider controls: they can select any secret.',
      matrix: 'The secret’s name comes from the matrix, so the runner of each job receives every secret.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                stage: { type: string }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              strategy:
                matrix:
                  token: [A_TOKEN, B_TOKEN]
              env:
                # expect: whole
                ALL: \${{ toJSON(secrets) }}
              steps:
                - run: ./deploy.sh
                  env:
                    # expect: chosen
                    TOKEN: \${{ secrets[format('{0}_TOKEN', inputs.stage)] }}
                    # expect: matrix
                    OTHER: \${{ secrets[matrix.token] }}
                    # expect: whole
                    LIST: \${{ join(secrets.*, ',') }}
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            answer:
              runs-on: ubuntu-latest
              steps:
                - run: ./answer.sh
                  env:
                    # expect: outsider
                    TOKEN: \${{ secrets[github.event.comment.body] }}
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    TOKEN=$(jq -r '.DEPLOY_TOKEN' <<< "$ALL")
                    USER="$(echo "$ALL" | jq -r .DEPLOY_USER)"
                    ./deploy "$TOKEN" "$USER"
                  env:
                    # expect: whole
                    ALL: \${{ toJSON(secrets) }} # all of them
                - run: ./notify "\${{ fromJSON(env.ALL).CHAT_HOOK }}"
                  env:
                    # expect: whole
                    ALL: "\${{ toJSON(secrets) }}"
                - uses: oNaiPs/secrets-to-env-action@v1
                  with:
                    include: A_TOKEN, B_TOKEN
                    # expect: whole
                    secrets: \${{ toJSON(secrets) }}
        `,
        fixed: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    TOKEN=$(jq -r '.DEPLOY_TOKEN' <<< "$ALL")
                    USER="$(echo "$ALL" | jq -r .DEPLOY_USER)"
                    ./deploy "$TOKEN" "$USER"
                  env:
                    # expect: whole
                    ALL: '{"DEPLOY_TOKEN": \${{ toJSON(secrets.DEPLOY_TOKEN) }}, "DEPLOY_USER": \${{ toJSON(secrets.DEPLOY_USER) }}}' # all of them
                - run: ./notify "\${{ fromJSON(env.ALL).CHAT_HOOK }}"
                  env:
                    # expect: whole
                    ALL: '{"CHAT_HOOK": \${{ toJSON(secrets.CHAT_HOOK) }}}'
                - uses: oNaiPs/secrets-to-env-action@v1
                  with:
                    include: A_TOKEN, B_TOKEN
                    # expect: whole
                    secrets: '{"A_TOKEN": \${{ toJSON(secrets.A_TOKEN) }}, "B_TOKEN": \${{ toJSON(secrets.B_TOKEN) }}}'
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: echo "$ALL" | jq -r .TOKEN; python3 -c 'import os; print(len(os.environ["ALL"]))'
                  env:
                    # expect: whole
                    ALL: \${{ toJSON(secrets) }}
                - run: jq 'keys[]' <<< "$ALL"
                  env:
                    # expect: whole
                    ALL: \${{ toJSON(secrets) }}
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh
                  env:
                    A: \${{ secrets.A_TOKEN }}
                    B: \${{ secrets['B_TOKEN'] }}
                    C: \${{ toJSON(secrets.C_TOKEN) }}
                    D: the secrets of \${{ github.repository }}
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  for (const { text, at } of expressionTexts(definition, 'secrets')) {
    for (const expression of expressionsIn(text)) {
      const { node, span } = expression;
      for (const access of node === undefined ? [] : nodesOf(node)) {
        if (access.type !== 'access' || access.path[0] !== 'secrets') continue;
        const [key] = access.indexes;
        if (key !== undefined) yield { ...chosen(key, at, repository), at, span, attributes: { kind: 'repo-secret' } };
        else if (access.path.length === 1 || access.path[1] === '*') {
          yield {
            message: 'whole',
            at,
            span,
            ...listSecrets(text, expression, at),
            attributes: { kind: 'repo-secret' },
          };
        }
      }
    }
  }
}

function chosen(
  key: ExpressionNode,
  at: Definition | Job | Step,
  repository: Repository,
): { message: Message; severity: Severity; data: Readonly<Record<string, string>> } {
  const paths = nodesOf(key).flatMap((node) => (node.type === 'access' ? [node.path.join('.')] : []));
  const data = { key: paths[0] ?? 'a function' };
  if (at.kind === 'step' || at.kind === 'job') {
    const taint = worstTaint(taintsOf(key, at, repository));
    if (taint?.writer === 'outsider') {
      return { message: 'outsider', severity: taint.reach === 'outsider-privileged' ? 'HIGH' : 'MEDIUM', data };
    }
    const matrix = at.kind === 'job' ? at.matrix : at.parent.kind === 'job' ? at.parent.matrix : undefined;
    const literal = matrix !== undefined && ![...textsBelow(matrix)].some(({ value }) => value.includes('${{'));
    if (literal && paths.length > 0 && paths.every((path) => path.startsWith('matrix.'))) {
      return { message: 'matrix', severity: 'LOW', data };
    }
  }
  return { message: 'chosen', severity: 'MEDIUM', data };
}
