import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { type Publish, publishesIn } from '#lib/analysis/publishing/publish.ts';
import { evaluates, type Scenario } from '#lib/analysis/reachability/conditions.ts';
import { mayRun, neededJobs, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
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
    title: 'Publishing or deploying job runs for any branch without approval',
    why: 'What is published or deployed should come from a branch that somebody has reviewed. A job that runs for pushes to any branch, for open pull requests, or by hand on any ref, and is in no environment, ships whatever one person has pushed.',
    attack:
      'Somebody who may push, or has stolen a token that may, pushes a branch of their own. The job publishes it with the project’s credentials before anybody has looked.',
    recommendation:
      "Name an environment in the job, limit it to protected branches and let somebody approve it; and start the job for the default branch or protected tags alone: `if: github.ref == 'refs/heads/main'`.",
    limits:
      'Rules of branches and tags, and who has to approve, are settings: the finding stays LOW without them. Jobs and workflows that call themselves previews, snapshots or tests are left out, and so are tags, which a ruleset can protect.',
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
      branch: '{{publish}} runs for a push to any branch, and no environment asks anybody.',
      'pull-request': '{{publish}} runs for pull requests that are not merged yet, and no environment asks anybody.',
      dispatch: '{{publish}} can be started by hand on any branch, and no environment asks anybody.',
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
  // One edit for all: what is told of the first job would be told of the next one after it.
  const mended = nameEnvironment([...new Set(open.map(({ job }) => job))]);
  const told = new Set<Message>();
  for (const { publish, messages } of open) {
    const message = messages.find((each) => !told.has(each));
    if (message === undefined) continue;
    told.add(message);
    // Whoever starts it by hand has decided to; the branch is the only thing nobody has looked at.
    const severity = message === 'dispatch' ? 'INFO' : 'LOW';
    yield { message, data: { publish: publish.name }, at: publish.step, span: publish.span, severity, ...mended };
  }
}

interface OpenPublish {
  readonly publish: Publish;
  readonly job: Job;
  /** The ways in which it is open. */
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

/** What calls itself a trial is taken for one. */
const TRIAL = /preview|snapshot|nightly|canary|staging|sandbox|\bdev\b|\btests?\b|[-_/]test|\bpr\b|cache|dry[- ]?run/i;

interface Opening {
  readonly message: Message;
  readonly scenarios: readonly Scenario[];
}

/** The ways in which a trigger lets a branch in that nobody has reviewed. */
function openingOf(trigger: Trigger): Opening[] {
  const { event, settings } = trigger;
  const limited = ['branches', 'branches-ignore', 'tags'].some((key) => entryOf(settings, key) !== undefined);
  if (event === 'push' && !limited) return [{ message: 'branch', scenarios: [{ event, by: 'anyone', ref: 'branch' }] }];
  if (event === 'workflow_dispatch') return [{ message: 'dispatch', scenarios: [{ event, by: 'anyone' }] }];
  if (event !== 'pull_request') return [];
  // A closed one may be merged.
  const open = scenariosOf({ event, trigger }).filter(({ action }) => action !== 'closed');
  return [{ message: 'pull-request', scenarios: open.map((scenario) => ({ ...scenario, by: 'anyone' })) }];
}

function isGated(job: Job): boolean {
  return [job, ...neededJobs(job)].some(({ environment, uses }) => environment !== undefined || uses !== undefined);
}

/** Anything that may tell one branch from another, or depends on what a step has found out about it. */
const CHOOSES =
  /github\.(?:ref|ref_name|ref_type|base_ref|head_ref|event\.(?:ref|release|pull_request\.merged))\b|default_branch|\binputs\.|\boutputs\b|\bvars\.|\benv\./i;

/** Whether a push of anything comes through to the publication, by every condition on the way. */
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
