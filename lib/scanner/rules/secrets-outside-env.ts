import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';
import { nameEnvironment } from '../remedies/add-environment.ts';

type Message = 'publishing' | 'others';

export const secretsOutsideEnv = defineRule({
  id: 'secrets-outside-env',
  meta: {
    title: 'Secret is used by a job without an environment',
    why: 'A secret of the repository or organization is there for every workflow on every branch. One that is kept in an environment can be tied to protected branches and to people who approve; nothing else stands between a pushed branch and the secret.',
    attack:
      'Whoever can push a branch, or has a token that can, adds a workflow there that prints the secret. No review and no approval is asked for.',
    recommendation:
      'Create an environment, limit it to protected branches or tags, move the secret into it, delete it from the repository, and name the environment in the job. Start with what publishes and deploys.',
    limits:
      'Where a secret is stored is not in the files. Jobs that publish or deploy are named by workflow; all others are one remark for the whole repository. Names of low value, such as tokens for coverage, and jobs that call a workflow, are left out.',
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
        'The job {{job}} reads {{secrets}}, runs {{publish}} and is in no environment: workflows of every branch can read the same.',
      others: '{{secrets}} {{used}} by jobs in no environment: workflows of every branch can read the same.',
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

/** Tokens that only send results or lift a limit, and names that are no secret at all. */
const LOW_VALUE =
  /codecov|coveralls|codacy|code_?climate|sonar|codspeed|deepsource|cachix|turbo_|nx_cloud|percy|chromatic|argos|cypress_record|datadog|^dd_|benchmark|step_debug|slack|discord|(?:^|_)(?:url|host|region|org|email|user|username|login|name|(?:account|app|client|project|team)_id)$/;

function* check({ workflows }: Repository): Generator<Report<Message>> {
  const others = new Set<string>();
  let first: Job | undefined;
  for (const { jobs, triggers } of workflows) {
    // A called workflow is given its secrets by those that call it.
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
    // The first of a file stands for all: they are mended together.
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
  const data = { secrets: capitalized(nameAll([...others])), used: others.size === 1 ? 'is read' : 'are read' };
  yield {
    message: 'others',
    data,
    at: first,
    span: first.idSpan,
    advice:
      'Which of these secrets belong together is for a person to decide: create an environment for each group, move the secrets there, and write `environment:` in the jobs that read them.',
    attributes: { kind: 'repo-secret' },
  };
}

function openSecrets(job: Job): string[] {
  if (job.environment !== undefined || job.uses !== undefined) return [];
  return credentialsOf(job).secrets.filter((name) => !LOW_VALUE.test(name));
}

function nameAll(secrets: readonly string[]): string {
  if (secrets.includes('*')) return 'all secrets';
  return `the secret${secrets.length > 1 ? 's' : ''} ${listed(secrets.map((name) => name.toUpperCase()))}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
