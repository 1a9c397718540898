import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';
import { nameEnvironment } from '../remedies/add-environment.ts';

type Message = 'publishing' | 'others';

export const secretsOutsideEnv = defineRule({
  id: 'secrets-outside-env',
  meta: {
    title: 'Secret is used outside an environment',
    why: 'A repository or organization secret is available to workflows on every branch. A secret in an environment can be restricted to protected branches and require approval; without one, anyone who can push a branch can read the secret.',
    attack:
      'The attacker can push a branch, or has a token that can, and pushes a workflow there that prints the secret. No review or approval is required.',
    recommendation:
      'Create an environment, restrict it to protected branches or tags, move the secret into it, delete it from the repository, and set `environment:` in the job. Start with jobs that publish or deploy.',
    limits:
      'The files do not show where a secret is stored. Jobs that publish or deploy are reported once per workflow, all others once per repository. Low-value secrets, such as coverage tokens, and jobs that call a workflow are not reported.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/deployments-and-environments',
      'https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information',
      'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
    ],
    messages: {
      publishing:
        'The job {{job}} uses {{secrets}} and runs {{publish}} without an environment: workflows on any branch can read the same secrets.',
      others: '{{secrets}} {{used}} by jobs without an environment: workflows on any branch can read the same.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: release
          jobs:
            # expect: publishing
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
        fixed: yaml`
          on: release
          jobs:
            # expect: publishing
            publish:
              runs-on: ubuntu-latest
              environment: release
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/a.yml': yaml`
            on: push
            jobs:
              # expect: others
              notify:
                runs-on: ubuntu-latest
                steps: [{ run: ./notify, env: { HOOK: "\${{ secrets.CHAT_HOOK }}" } }]
              # expect: publishing
              image:
                runs-on: ubuntu-latest
                steps:
                  - run: docker push acme/app
                    env: { TOKEN: "\${{ secrets.REGISTRY_TOKEN }}", USER: "\${{ secrets.REGISTRY_USER }}" }
              chart:
                runs-on: ubuntu-latest
                steps:
                  - run: helm push app.tgz oci://acme
                    env: { TOKEN: "\${{ secrets.REGISTRY_TOKEN }}" }
          `,
          '.github/workflows/b.yml': yaml`
            on: push
            jobs:
              report:
                runs-on: ubuntu-latest
                steps: [{ run: ./report, env: { KEY: "\${{ secrets.REPORT_KEY }}" } }]
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            publish:
              environment: release
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            test:
              runs-on: ubuntu-latest
              steps:
                - run: ./upload
                  env:
                    COVERAGE: "\${{ secrets.CODECOV_TOKEN }}"
                    GH_TOKEN: "\${{ secrets.GITHUB_TOKEN }}"
            call:
              uses: ./.github/workflows/called.yml
              secrets: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { workflow_call: { secrets: { TOKEN: { required: true } } } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.TOKEN }}" }
        `,
      },
    ],
  },
  check: { repository: check },
});

const LOW_VALUE =
  /codecov|coveralls|codacy|code_?climate|sonar|codspeed|deepsource|cachix|turbo_|nx_cloud|percy|chromatic|argos|cypress_record|datadog|^dd_|benchmark|step_debug|slack|discord|(?:^|_)(?:url|host|region|org|email|user|username|login|name|(?:account|app|client|project|team)_id)$/;

function* check({ workflows }: Repository): Generator<Report<Message>> {
  const others = new Set<string>();
  let first: Job | undefined;
  for (const { jobs, triggers } of workflows) {
    if (triggers.every(({ event }) => event === 'workflow_call')) continue;
    const publishing: { readonly job: Job; readonly secrets: readonly string[]; readonly name: string }[] = [];
    for (const job of jobs) {
      const secrets = openSecrets(job);
      if (secrets.length === 0) continue;
      const publish = job.steps.flatMap(publishesIn).find(({ kind }) => kind !== 'attest' && kind !== 'sign');
      if (publish === undefined) {
        first ??= job;
        for (const secret of secrets) others.add(secret);
      } else publishing.push({ job, secrets, name: publish.name });
    }
    const [told] = publishing;
    if (told === undefined) continue;
    const { job, secrets, name } = told;
    yield {
      message: 'publishing',
      data: { job: job.id, secrets: nameAll(secrets), publish: name },
      at: job,
      span: job.idSpan,
      severity: 'LOW',
      ...nameEnvironment(publishing.map((each) => each.job)),
      attributes: { kind: 'repo-secret', secrets },
    };
  }
  if (first === undefined) return;
  const data = { secrets: capitalized(nameAll([...others])), used: others.size === 1 ? 'is used' : 'are used' };
  yield {
    message: 'others',
    data,
    at: first,
    span: first.idSpan,
    advice:
      'Group the secrets by purpose: create an environment for each group, move the secrets there, and set `environment:` in the jobs that use them.',
    attributes: { kind: 'repo-secret' },
  };
}

function openSecrets(job: Job): string[] {
  if (job.environment !== undefined || job.uses !== undefined) return [];
  return credentialsOf(job).secrets.filter((name) => !LOW_VALUE.test(name));
}

function nameAll(secrets: readonly string[]): string {
  if (secrets.includes('*')) return 'all secrets';
  return `the secret${secrets.length > 1 ? 's' : ''} ${joinList(secrets.map((name) => name.toUpperCase()))}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
