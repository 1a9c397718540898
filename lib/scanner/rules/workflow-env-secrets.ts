import { secretsFlowingIn } from '#lib/analysis/dataflow/secret-use.ts';
import { runsForeignCode } from '#lib/analysis/privileges/foreign-code.ts';
import { namesKey } from '#lib/analysis/privileges/job-credentials.ts';
import { opensLittle, opensOnly } from '#lib/analysis/privileges/secret-names.ts';
import { actionOf, runsAction, runsOwnAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Variable, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { mentionsSecrets } from '../shared/when.ts';

const ACCOUNT_NAME = /(?:usr|user|username|login|email|_id|account)$/i;

/** Registry addresses, which the names of published images reveal anyway. */
const REGISTRY_HOST =
  /^(?:\w*_)?(?:registry|registries|login_?server|ecr|acr|gcr)(?:_(?:host|hostname|url|uri|server|domain|name|endpoint|login_server))?$/i;

type Message = 'workflow' | 'job' | 'script';

export const workflowEnvSecrets = defineRule({
  id: 'workflow-env-secrets',
  meta: {
    title: 'Secret exposed to steps that do not use it',
    why: 'A secret in the `env` of a job or workflow is in the environment of every process of every step in it, including each action and package script. In the `env` of a single step, only that step has it.',
    attack:
      'A compromised action or dependency in a step that does not need the secret reads its environment and sends the secret out.',
    recommendation: 'Move the variable into the `env` of the steps that use it.',
    limits:
      'A step counts as using the variable if its text contains the variable’s name. A script in another file may use it without the workflow showing it; the publishing programs of changesets, semantic-release and GoReleaser always count. Values that apps publish, names and addresses, and keys that open next to nothing, such as those for coverage reports, are at most LOW, as is what only fixed actions, scripts or the service’s own action get; what a secret is follows from its name.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: ['https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information'],
    messages: {
      workflow:
        'Secrets are in the environment of all {{count}} jobs as {{names}}, including {{other}}, which does not mention them.',
      job: 'Secrets are in the environment of all {{count}} steps as {{names}}, including {{other}}, which does not mention them.',
      script: 'The secret {{secret}} is inserted into the script, which is stored on disk while it runs.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            reports:
              runs-on: ubuntu-latest
              env:
                # expect: job LOW
                CODECOV_TOKEN: \${{ secrets.CODECOV_TOKEN }}
                SENTRY_DSN: \${{ secrets.ERRORS }}
                VITE_FIREBASE_API_KEY: \${{ secrets.WEB_KEY }}
                DATABASE_HOST: \${{ secrets.DATABASE_HOST }}
              steps:
                - uses: acme/setup@v1
                - run: npm test
            with-key:
              runs-on: ubuntu-latest
              env:
                # expect: job MEDIUM
                CODECOV_TOKEN: \${{ secrets.CODECOV_TOKEN }}
                DATABASE_PASSWORD: \${{ secrets.DATABASE_PASSWORD }}
              steps:
                - uses: acme/setup@v1
                - run: npm test
            uploads-maps:
              runs-on: ubuntu-latest
              env:
                # expect: job MEDIUM
                SENTRY_AUTH_TOKEN: \${{ secrets.SENTRY_AUTH_TOKEN }}
              steps:
                - uses: acme/setup@v1
                - run: npm test
            settings:
              runs-on: ubuntu-latest
              env:
                # expect: job LOW
                USE_CHARTS: \${{ secrets.USE_CHARTS }}
                ACTIONS_STEP_DEBUG: \${{ secrets.ACTIONS_STEP_DEBUG }}
                PREBUILT: \${{ secrets.PREBUILT_DIR }}
              steps:
                - uses: acme/setup@v1
                - run: npm test
            service:
              runs-on: ubuntu-latest
              env:
                # expect: job LOW
                SUPABASE_ACCESS_TOKEN: \${{ secrets.SUPABASE_ACCESS_TOKEN }}
                SUPABASE_DB_PASSWORD: \${{ secrets.PRODUCTION_PASSWORD }}
              steps:
                - uses: supabase/setup-cli@v1
                - run: supabase db push --password "$SUPABASE_DB_PASSWORD"
            service-and-more:
              runs-on: ubuntu-latest
              env:
                # expect: job MEDIUM
                SUPABASE_ACCESS_TOKEN: \${{ secrets.SUPABASE_ACCESS_TOKEN }}
                DEPLOY_KEY: \${{ secrets.DEPLOY_KEY }}
              steps:
                - uses: supabase/setup-cli@v1
                - run: ./deploy.sh
            only-idle-for-reports:
              runs-on: ubuntu-latest
              env:
                # expect: job LOW
                DEPLOY_KEY: \${{ secrets.DEPLOY_KEY }}
                CODECOV_TOKEN: \${{ secrets.CODECOV_TOKEN }}
              steps:
                - uses: acme/deploy@v1
                  with: { key: "\${{ env.DEPLOY_KEY }}" }
                - run: npm test
            deploys:
              runs-on: ubuntu-latest
              env:
                # expect: job MEDIUM
                FIREBASE_TOKEN: \${{ secrets.FIREBASE_TOKEN }}
              steps:
                - uses: acme/setup@v1
                - run: npm run deploy
        `,
      },
      {
        yaml: yaml`
          on: push
          env:
            # expect: workflow
            REGISTRY_TOKEN: \${{ secrets.REGISTRY_TOKEN }}
            NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/lint@v1
                - run: npm test
            publish:
              runs-on: ubuntu-latest
              env:
                REGISTRY: \${{ secrets.REGISTRY_HOST }}
                # expect: job
                DEPLOY_KEY: \${{ secrets.DEPLOY_KEY }}
              steps:
                - run: npm ci
                - run: ./deploy.sh "$DEPLOY_KEY"
                # expect: script
                - run: ./login.sh \${{ secrets.LOGIN }}
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                # expect: job LOW
                CACHE_KEY: \${{ secrets.CACHE_KEY }}
              steps:
                - uses: acme/actions/prepare@v1
                - run: ./build.sh "$CACHE_KEY"
            other:
              runs-on: ubuntu-latest
              env:
                # expect: job MEDIUM
                CACHE_KEY: \${{ secrets.CACHE_KEY }}
              steps:
                - uses: other/actions/prepare@v1
                - run: ./build.sh "$CACHE_KEY"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          env: { TF_API_TOKEN: "\${{ secrets.TF_API_TOKEN }}" }
          jobs:
            setup:
              uses: ./.github/workflows/setup.yml
            apply:
              needs: setup
              runs-on: ubuntu-latest
              steps:
                - uses: hashicorp/tfc-workflows-github/actions/create-run@v1.3.0
                - uses: hashicorp/tfc-workflows-github/actions/apply-run@v1.3.0
                - run: ./report.sh "$TF_API_TOKEN"
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              env:
                NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
              steps:
                - run: npm config set //registry.npmjs.org/:_authToken "$NPM_TOKEN"
                - uses: changesets/action@v1
                  with: { publish: npm run release }
        `,
      },
      {
        yaml: yaml`
          on: push
          env:
            CI_TOKEN: \${{ secrets.GITHUB_TOKEN }}
            HAS_TOKEN: \${{ secrets.NPM_TOKEN != '' }}
            REGISTRY: \${{ secrets.HARBOR }}
            IMAGES: \${{ secrets.ACR_LOGIN_SERVER }}/app
          jobs:
            one:
              runs-on: ubuntu-latest
              env:
                TOKEN: \${{ secrets.TOKEN }}
              steps:
                - uses: actions/checkout@v4
                - run: ./deploy.sh
            pull:
              runs-on: ubuntu-latest
              steps:
                - run: docker pull \${{ secrets.DOCKER_REGISTRY_URL }}/app
            both:
              runs-on: ubuntu-latest
              env:
                TOKEN: \${{ secrets.TOKEN }}
              steps:
                - run: ./first.sh "$TOKEN"
                - run: ./second.sh "$TOKEN"
            own:
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh
                  env:
                    TOKEN: \${{ secrets.TOKEN }}
                - run: npm test
        `,
      },
    ],
  },
  when: mentionsSecrets,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const all = workflow.jobs.flatMap(({ steps }) => steps);
  if (ownJobs(workflow).length > 1) yield* exposed('workflow', workflow, all, repository);
  for (const job of workflow.jobs) {
    if (job.steps.length > 1) yield* exposed('job', job, job.steps, repository);
  }
  for (const step of all) yield* written(step);
}

function* exposed(
  message: 'workflow' | 'job',
  at: Workflow | Job,
  steps: readonly Step[],
  repository: Repository,
): Generator<Report<Message>> {
  const held = (at.env?.entries ?? []).filter(holdsSecret);
  if (held.length === 0) return;
  const foreign = steps.filter(runsForeignCode);
  if (foreign.length < 2) return;
  const secrets = held.filter(({ name }) => !foreign.every((step) => names(step, name)));
  const [first] = secrets;
  if (first === undefined) return;
  const idle = foreign.filter((step) => !secrets.every(({ name }) => names(step, name)));
  const movable = idle.filter((step) => isMovable(step) && !runsOwnAction(step, repository));
  const worthy = secrets.filter((variable) => !isOfLittleWorth(variable));
  const thief = movable.find((step) =>
    worthy.some((variable) => !names(step, variable.name) && !isOfVendor(variable, step)),
  );
  const count = at.kind === 'job' ? at.steps.length : ownJobs(at).length;
  const shown = secrets.slice(0, 3).map(({ name }) => name);
  if (secrets.length > shown.length) shown.push(`${secrets.length - shown.length} more`);
  yield {
    message,
    data: { names: shown.join(', '), count: String(count), other: describe(thief ?? movable[0] ?? (idle[0] as Step)) },
    at,
    span: first.span,
    severity: thief === undefined ? 'LOW' : 'MEDIUM',
    confidence: foreign.some((step) => secrets.some(({ name }) => names(step, name))) ? 'high' : 'medium',
    attributes: { kind: 'repo-secret' },
  };
}

/** The environment of a workflow does not reach the workflows that it calls. */
function ownJobs({ jobs }: Workflow): readonly Job[] {
  return jobs.filter(({ uses }) => uses === undefined);
}

function holdsSecret({ name, value }: Variable): boolean {
  return !REGISTRY_HOST.test(name) && secretsFlowingIn(value).some((secret) => !REGISTRY_HOST.test(secret));
}

function isOfLittleWorth({ name, value }: Variable): boolean {
  return (
    ACCOUNT_NAME.test(name) ||
    !namesKey(name.toLowerCase()) ||
    secretsFlowingIn(value).every((secret) => !namesKey(secret.toLowerCase()) || opensLittle(secret.toLowerCase()))
  );
}

function isOfVendor({ name, value }: Variable, step: Step): boolean {
  const [vendor = ''] = actionOf(step)?.slug.split('/') ?? [];
  return [name.toLowerCase(), ...secretsFlowingIn(value)].some((each) => opensOnly(each.toLowerCase(), vendor));
}

const PUBLISHES_FROM_ENVIRONMENT = [
  'changesets/action',
  'cycjimmy/semantic-release-action',
  'goreleaser/goreleaser-action',
] as const;

function names(step: Step, name: string): boolean {
  if (runsAction(step, ...PUBLISHES_FROM_ENVIRONMENT)) return true;
  for (const { value } of textsBelow(step.mapping)) if (value.includes(name)) return true;
  return false;
}

function isMovable(step: Step): boolean {
  const action = actionOf(step);
  return action !== undefined && !/^(?:actions|github)\//.test(action.slug) && !isFullSha(action.ref);
}

function describe(step: Step): string {
  return step.uses === undefined ? `the script of step ${step.index + 1}` : step.uses.text.value;
}

function* written(step: Step): Generator<Report<Message>> {
  const { run } = step;
  const secret = run && secretsFlowingIn(run).find((name) => !REGISTRY_HOST.test(name));
  if (run === undefined || secret === undefined) return;
  const severity: Severity = 'INFO';
  yield { message: 'script', data: { secret }, at: step, span: step.runSpan ?? run.span, severity };
}
