import { expressionTexts, secretsFlowingIn } from '#lib/analysis/dataflow/secret-use.ts';
import { storedCloudKey } from '#lib/analysis/privileges/cloud-sign-ins.ts';
import { opensLittle, secretNamesIn } from '#lib/analysis/privileges/secret-names.ts';
import { expressionsIn, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Variables, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'cloud' | 'token';

export const longLivedCredentials = defineRule({
  id: 'long-lived-credentials',
  meta: {
    title: 'Long-lived credential used where a short-lived one is available',
    why: 'A stored key or personal access token works from anywhere until it is revoked, and does not show who uses it. Cloud providers issue tokens that expire within minutes to workflows they trust through OIDC, and a GitHub App’s token expires within an hour.',
    attack:
      'An attacker who reads the secret once, from a log, an artifact or a compromised action, can use it from their own machine long after the run.',
    recommendation:
      'Configure OIDC with the cloud provider (`id-token: write` and a role for this workflow), then delete the key. Instead of a personal access token, use the job’s own token, or `actions/create-github-app-token` with only the permissions needed.',
    limits:
      'Recognizes credentials by inputs of login actions and by names of variables, and reports each secret once, where it is first used. Services without OIDC federation, and tokens used only as a fallback for the job’s own, are not reported. A stored token may in fact be a GitHub App’s, and a file shows neither what a token can do nor whether the job’s own would suffice, so stored tokens are LOW, as are keys that open next to nothing, such as those of build caches.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/security/openid-connect',
      'https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/making-authenticated-api-requests-with-a-github-app-in-a-github-actions-workflow',
    ],
    messages: {
      cloud:
        'The stored key {{secret}}, used in {{places}}, logs in to {{service}}, which supports OIDC and needs no stored key.',
      token:
        'The stored token {{secret}} is used in {{places}}, here for {{service}}; the job’s own token or a GitHub App’s would be short-lived.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: aws-actions/configure-aws-credentials@v5
                  with:
                    aws-access-key-id: \${{ secrets.AWS_ACCESS_KEY_ID }}
                    # expect: cloud MEDIUM
                    aws-secret-access-key: \${{ secrets.AWS_SECRET_ACCESS_KEY }}
                    aws-region: eu-west-1
                - run: make
                  env:
                    # expect: cloud LOW
                    AWS_SECRET_ACCESS_KEY: \${{ secrets.SCCACHE_AWS_SECRET_ACCESS_KEY }}
        `,
      },
      {
        yaml: yaml`
          on: push
          env:
            # expect: cloud
            AWS_SECRET_ACCESS_KEY: \${{ secrets.AWS_KEY }}
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with:
                    # expect: token
                    token: \${{ secrets.BOT_PAT }}
                - uses: azure/login@v2
                  with:
                    # expect: cloud
                    creds: \${{ secrets.AZURE_CREDENTIALS }}
                - uses: google-github-actions/auth@v2
                  with:
                    # expect: cloud
                    credentials_json: '\${{ secrets.GCP_KEY }}'
                - run: gh release create v1
                  env:
                    # expect: token
                    GH_TOKEN: \${{ secrets.RELEASE_TOKEN }}
                - run: gh pr list
                  env: { GH_TOKEN: "\${{ secrets.BOT_PAT }}" }
                - uses: docker/login-action@v3
                  with:
                    registry: ghcr.io
                    username: bot
                    # expect: token
                    password: \${{ secrets.GHCR_PAT }}
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { id-token: write }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: aws-actions/configure-aws-credentials@v5
                  with: { role-to-assume: "\${{ secrets.AWS_ROLE }}", aws-region: eu-west-1 }
                - uses: google-github-actions/auth@v2
                  with: { workload_identity_provider: "\${{ secrets.PROVIDER }}" }
                - uses: azure/login@v2
                  with: { client-id: "\${{ secrets.CLIENT_ID }}", tenant-id: "\${{ secrets.TENANT }}" }
                - uses: actions/create-github-app-token@v2
                  id: app
                  with: { app-id: 1, private-key: "\${{ secrets.APP_KEY }}" }
                - uses: actions/checkout@v4
                  with: { token: "\${{ steps.app.outputs.token }}" }
                - run: gh pr list
                  env: { GH_TOKEN: "\${{ secrets.GITHUB_TOKEN }}" }
                - run: gh pr list
                  env: { GH_TOKEN: "\${{ secrets.BOT_PAT || github.token }}" }
                - run: aws s3 sync . s3://bucket --endpoint-url https://example.r2.cloudflarestorage.com
                  env:
                    AWS_SECRET_ACCESS_KEY: \${{ secrets.R2_SECRET }}
                - run: aws s3 sync . s3://bucket
                  env:
                    AWS_SECRET_ACCESS_KEY: \${{ secrets.CACHE_GCS_HMAC_SECRET }}
                - run: aws s3 sync . s3://bucket
                  env:
                    AWS_ACCESS_KEY_ID: \${{ secrets.SPACES_KEY }}
                    AWS_SECRET_ACCESS_KEY: \${{ secrets.SPACES_SECRET }}
                - uses: docker/login-action@v3
                  with: { username: acme, password: "\${{ secrets.DOCKERHUB_TOKEN }}" }
                - uses: actions/checkout@v4
                  with: { github-server-url: https://git.acme.example, token: "\${{ secrets.INTERNAL }}" }
        `,
      },
    ],
  },
  check: { repository: check },
});

interface Use {
  readonly message: Message;
  readonly service: string;
  readonly secret: string;
  readonly text: Text;
  readonly at: Workflow | Job | Step;
}

function* check({ workflows }: Repository): Generator<Report<Message>> {
  const bySecret = new Map<string, Use>();
  for (const workflow of workflows) {
    if (!/secrets/i.test(workflow.source.text)) continue;
    for (const use of usesIn(workflow)) {
      const key = `${use.message} ${use.secret}`;
      if (!bySecret.has(key)) bySecret.set(key, use);
    }
  }
  const counts = bySecret.size === 0 ? undefined : placesReading(workflows);
  for (const { message, service, secret, text, at } of bySecret.values()) {
    const count = counts?.get(secret) ?? 1;
    const places = count === 1 ? 'one place' : `${count} places`;
    yield {
      message,
      data: { secret, service, places },
      at,
      span: text.span,
      anchor: secret,
      severity: message === 'token' || opensLittle(secret) ? 'LOW' : 'MEDIUM',
      confidence: message === 'cloud' ? 'high' : 'medium',
      attributes: { kind: message === 'cloud' ? 'cloud-key' : 'write-token', secret, places: count },
    };
  }
}

function placesReading(workflows: readonly Workflow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const workflow of workflows) {
    for (const { text } of expressionTexts(workflow, 'secrets')) {
      for (const name of new Set(secretNamesIn(text))) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function* usesIn(workflow: Workflow): Generator<Use> {
  yield* variablesOf(workflow.env, workflow, workflow.source.text);
  for (const job of workflow.jobs) {
    yield* variablesOf(job.env, job, workflow.source.text);
    for (const step of job.steps) {
      yield* variablesOf(step.env, step, step.run?.value ?? '');
      yield* inputsOf(step);
    }
  }
}

const STORAGE_WITHOUT_OIDC =
  /endpoint|r2\.cloudflare|\br2\b|\bgcs\b|\bhmac\b|minio|digitalocean|\bspaces\b|backblaze|\bb2\b|wasabi|localstack|scaleway|hetzner|linode|tigris/i;

function* variablesOf(variables: Variables | undefined, at: Use['at'], around: string): Generator<Use> {
  for (const { name, value } of variables?.entries ?? []) {
    if (name === 'AWS_SECRET_ACCESS_KEY') {
      const [secret] = storedIn(value);
      const others = variables?.entries.map((entry) => `${entry.name} ${entry.value.value}`).join(' ') ?? '';
      const temporary = variables?.get('AWS_SESSION_TOKEN') !== undefined;
      if (secret === undefined || temporary || STORAGE_WITHOUT_OIDC.test(`${others.replaceAll('_', ' ')} ${around}`))
        continue;
      yield { message: 'cloud', service: 'AWS', secret, text: value, at };
    } else if (name === 'GH_TOKEN' || name === 'GITHUB_TOKEN') {
      const [secret] = storedIn(value);
      if (secret !== undefined && !MODEL_TOKEN.test(secret))
        yield { message: 'token', service: name, secret, text: value, at };
    }
  }
}

/** Pays for AI models, which the job’s own token cannot do everywhere. */
const MODEL_TOKEN = /copilot|models?_/;

const TOKEN_INPUTS: Readonly<Record<string, string>> = {
  'actions/add-to-project': 'github-token',
  'actions/checkout': 'token',
  'actions/github-script': 'github-token',
  'ad-m/github-push-action': 'github_token',
  'benc-uk/workflow-dispatch': 'token',
  'peaceiris/actions-gh-pages': 'personal_token',
  'peter-evans/create-pull-request': 'token',
  'peter-evans/repository-dispatch': 'token',
};

function* inputsOf(step: Step): Generator<Use> {
  const action = actionOf(step);
  if (action === undefined) return;
  const cloud = storedCloudKey(step);
  if (cloud !== undefined && inputOf(step, 'aws-session-token') === undefined) {
    const { service, text } = cloud;
    const [secret] = storedIn(text);
    if (secret !== undefined) yield { message: 'cloud', service, secret, text, at: step };
  }
  const name = action.slug === 'docker/login-action' ? githubPassword(step) : TOKEN_INPUTS[action.slug];
  const token = name === undefined ? undefined : inputOf(step, name);
  if (token === undefined || inputOf(step, 'github-server-url') !== undefined) return;
  const [secret] = storedIn(token);
  const service = `${action.owner}/${action.repo}`;
  if (secret !== undefined) yield { message: 'token', service, secret, text: token, at: step };
}

function githubPassword(step: Step): string | undefined {
  return /^(?:ghcr\.io|docker\.pkg\.github\.com)\b/.test(inputOf(step, 'registry')?.value.trim() ?? '')
    ? 'password'
    : undefined;
}

const OPENS = /secret|key|cred|pass|token|pat\b/;

function storedIn(text: Text): string[] {
  const own = expressionsIn(text).some(
    ({ node }) =>
      node !== undefined &&
      nodesOf(node).some(
        (child) => child.type === 'access' && /^(?:secrets\.github_token|github\.token)$/.test(child.path.join('.')),
      ),
  );
  if (own) return [];
  return secretsFlowingIn(text).sort((a, b) => Number(OPENS.test(b)) - Number(OPENS.test(a)));
}
