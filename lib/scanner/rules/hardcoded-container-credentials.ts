import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Container, Job, Text } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'password';

export const hardcodedContainerCredentials = defineRule({
  id: 'hardcoded-container-credentials',
  meta: {
    title: 'Hardcoded registry password',
    why: 'The password used to pull a container image is written in the file, so everyone who can read the repository, its forks or its history has it.',
    attack:
      'An attacker reads the password and signs in to the registry. Private images can be copied and, if the account can write, replaced with malicious ones that the next runs execute.',
    recommendation:
      'Change the password at the registry, store the new one as a secret, and write `password: ${{ secrets.REGISTRY_PASSWORD }}`.',
    limits:
      'Only the `credentials` of job containers and services are checked. A password that an expression assembles from several literals is not seen.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-where-workflows-run/run-jobs-in-a-container#defining-credentials-for-a-container-registry',
    ],
    messages: {
      password: 'The registry password for {{container}} is hardcoded in the file.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              container:
                image: registry.acme.dev/build
                credentials:
                  username: ci
                  # expect: password
                  password: hunter2
              services:
                cache:
                  image: registry.acme.dev/cache
                  credentials:
                    username: ci
                    # expect: password
                    password: \${{ 'hunter2' }}
              steps:
                - run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              container:
                image: ghcr.io/acme/build
                credentials:
                  username: \${{ github.actor }}
                  password: \${{ secrets.GITHUB_TOKEN }}
              services:
                cache:
                  image: registry.acme.dev/cache
                  credentials:
                    username: ci
                    password: ''
                db:
                  image: postgres
                  env:
                    POSTGRES_PASSWORD: postgres
              steps:
                - run: make
        `,
      },
    ],
  },
  check: { job: check },
});

function* check(job: Job): Generator<Report<Message>> {
  for (const container of [job.container, ...job.services]) {
    const password = container?.password;
    if (container === undefined || password === undefined || !isLiteral(password)) continue;
    yield {
      message: 'password',
      anchor: container.label,
      data: { container: nameOf(container) },
      at: job,
      span: password.span,
    };
  }
}

function isLiteral(password: Text): boolean {
  if (password.value.trim() === '') return false;
  if (!password.value.includes('${{')) return true;
  const [only, ...others] = expressionsIn(password);
  return others.length === 0 && only?.node?.type === 'literal' && only.node.value !== '';
}

function nameOf({ label }: Container): string {
  return label === 'container' ? 'the job’s container' : `the service ${label}`;
}
