import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { type Publish, publishesIn } from '#lib/analysis/publishing/publish.ts';
import { evaluates, type Scenario } from '#lib/analysis/reachability/conditions.ts';
import { neededJobs, requiredJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { mayRun, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { ANY_BRANCH } from '#lib/analysis/reachability/trigger-refs.ts';
import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Text, Trigger, Workflow } from '#lib/workflow/model/model.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';
import { nameEnvironment } from '../remedies/add-environment.ts';

type Message = 'branch' | 'pull-request' | 'dispatch';

export const ungatedDeployment = defineRule({
  id: 'ungated-deployment',
  meta: {
    title: 'Publishing job has no branch restriction or approval',
    why: 'Releases and deployments should come from a reviewed branch. A job without an environment that runs for pushes to any branch, for open pull requests, or manually on any ref ships whatever one person pushed.',
    attack:
      'Someone who can push, or an attacker with a stolen token that can, pushes a branch of their own. The job publishes it with the project’s credentials before anyone reviews it.',
    recommendation:
      "Set an environment in the job, restrict it to protected branches and require approval, and run the job only for the default branch or protected tags: `if: github.ref == 'refs/heads/main'`.",
    limits:
      'Branch and tag rules, and required approvals, are settings, so the finding stays LOW. Jobs and workflows named as previews, snapshots or tests are not reported, and neither are tags, which a ruleset can protect.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/deployments-and-environments',
      'https://owasp.org/www-project-top-10-ci-cd-security-risks/CICD-SEC-01-Insufficient-Flow-Control-Mechanisms',
    ],
    messages: {
      branch: '{{publish}} runs for a push to any branch, without an environment that requires approval.',
      'pull-request': '{{publish}} runs for open pull requests, without an environment that requires approval.',
      dispatch: '{{publish}} can be started manually on any branch, without an environment that requires approval.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: branch
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
        fixed: yaml`
          on: push
          jobs:
            publish:
              runs-on: ubuntu-latest
              environment: release
              steps:
                # expect: branch
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          jobs:
            site:
              runs-on: ubuntu-latest # small
              steps:
                # expect: dispatch
                - uses: cloudflare/wrangler-action@v3
                  with: { apiToken: "\${{ secrets.CLOUD_TOKEN }}" }
            chart:
              { runs-on: ubuntu-latest, steps: [{ run: helm push app.tgz oci://acme, env: { KEY: "\${{ secrets.KEY }}" } }] }
        `,
        fixed: yaml`
          on: workflow_dispatch
          jobs:
            site:
              runs-on: ubuntu-latest # small
              environment: production
              steps:
                # expect: dispatch
                - uses: cloudflare/wrangler-action@v3
                  with: { apiToken: "\${{ secrets.CLOUD_TOKEN }}" }
            chart:
              { runs-on: ubuntu-latest, environment: release, steps: [{ run: helm push app.tgz oci://acme, env: { KEY: "\${{ secrets.KEY }}" } }] }
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request: { types: [labeled] }
            push: { branches: [main] }
          jobs:
            ship:
              runs-on: ubuntu-latest
              steps:
                # expect: pull-request
                - run: docker push acme/app
                  env: { TOKEN: "\${{ secrets.REGISTRY_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { id-token: write }
          jobs:
            ship:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                # expect: dispatch
                - uses: pypa/gh-action-pypi-publish@release/v1
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [push, pull_request, workflow_dispatch]
          jobs:
            publish:
              environment: release
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            main:
              if: github.ref == 'refs/heads/main'
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with:
                    push: \${{ github.event_name == 'push' && github.ref_name == 'main' }}
                    secrets: \${{ secrets.REGISTRY_TOKEN }}
            deploy-preview:
              runs-on: ubuntu-latest
              steps:
                - run: netlify deploy --prod
                  env: { TOKEN: "\${{ secrets.PREVIEW_TOKEN }}" }
            local:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps: [{ run: docker push localhost:5000/app }]
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow): Generator<Report<Message>> {
  if (TRIAL.test(workflow.name?.value ?? '') || TRIAL.test(workflow.source.path)) return;
  const openings = workflow.triggers.flatMap(openingOf);
  if (openings.length === 0) return;
  const open = workflow.jobs.flatMap((job) => openPublishes(job, openings));
  const mended = nameEnvironment([...new Set(open.map(({ job }) => job))]);
  const told = new Set<Message>();
  for (const { publish, messages } of open) {
    const message = messages.find((each) => !told.has(each));
    if (message === undefined) continue;
    told.add(message);
    // Starting it manually is a decision; only the branch is unreviewed.
    const severity = message === 'dispatch' ? 'INFO' : 'LOW';
    yield { message, data: { publish: publish.name }, at: publish.step, span: publish.span, severity, ...mended };
  }
}

interface OpenPublish {
  readonly publish: Publish;
  readonly job: Job;
  readonly messages: readonly Message[];
}

function openPublishes(job: Job, openings: readonly Opening[]): OpenPublish[] {
  const { secrets, mintsOidc } = credentialsOf(job);
  const named = TRIAL.test(job.id) || TRIAL.test(job.name?.value ?? '');
  if ((secrets.length === 0 && !mintsOidc) || named || isGated(job)) return [];
  return job.steps.flatMap(publishesIn).flatMap((publish) => {
    const { kind, step } = publish;
    if (kind === 'attest' || kind === 'sign' || TRIAL.test(step.name?.value ?? '')) return [];
    const messages = openings.flatMap(({ message, scenarios }) => (reaches(publish, job, scenarios) ? [message] : []));
    return messages.length === 0 ? [] : [{ publish, job, messages }];
  });
}

const TRIAL = /preview|snapshot|nightly|canary|staging|sandbox|\bdev\b|\btests?\b|[-_/]test|\bpr\b|cache|dry[- ]?run/i;

interface Opening {
  readonly message: Message;
  readonly scenarios: readonly Scenario[];
}

function openingOf(trigger: Trigger): Opening[] {
  const { event, settings } = trigger;
  const limited = ['branches', 'branches-ignore', 'tags'].some((key) => entryOf(settings, key) !== undefined);
  if (event === 'push' && !limited)
    return [{ message: 'branch', scenarios: [{ event, by: 'anyone', refs: ANY_BRANCH }] }];
  if (event === 'workflow_dispatch') return [{ message: 'dispatch', scenarios: [{ event, by: 'anyone' }] }];
  if (event !== 'pull_request') return [];
  // A closed pull request may have been merged.
  const open = scenariosOf({ event, trigger }).filter(({ action }) => action !== 'closed');
  return [{ message: 'pull-request', scenarios: open.map((scenario) => ({ ...scenario, by: 'anyone' })) }];
}

function isGated(job: Job): boolean {
  return [job, ...requiredJobs(job)].some(({ environment, uses }) => environment !== undefined || uses !== undefined);
}

const CHOOSES =
  /github\.(?:ref|ref_name|ref_type|base_ref|head_ref|event\.(?:ref|release|pull_request\.merged))\b|default_branch|\binputs\.|\boutputs\b|\bvars\.|\benv\./i;

function reaches({ step }: Publish, job: Job, scenarios: readonly Scenario[]): boolean {
  const conditions = [step, job, ...neededJobs(job)].map(({ condition }) => condition);
  const push = inputOf(step, 'push');
  if ([...conditions, push].some((text) => CHOOSES.test(text?.value ?? ''))) return false;
  return scenarios.some((scenario) => mayRun(step, scenario) && !isOff(push, scenario));
}

function isOff(push: Text | undefined, scenario: Scenario): boolean {
  const node = push === undefined ? undefined : expressionsIn(push)[0]?.node;
  return node !== undefined && evaluates(node, scenario) === false;
}
