import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isPublished } from '#lib/analysis/privileges/published-values.ts';
import { uploadsReports } from '#lib/analysis/privileges/secret-names.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Action, Definition, Dependabot, Job, Step, Variable, Workflow } from '#lib/workflow/model/model.ts';
import { jobOf, stepsOf } from '#lib/workflow/model/model.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { findCredentials, isPlaceholder, looksGenerated } from '../engine/credentials.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

const TELLING =
  /(?:^|[_-])(?:password|passwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|webhook)$|(?:[a-z]Token|[a-z]Secret|apiKey)$/i;

const URL_PASSWORD =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@$]{1,80}:([^\s/@${}%<*]{6,200})@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6})/gi;
const URL_WITH_USER = /:\/\/[^\s/@$]{7,281}@/;
const LOCAL_HOST =
  /^(?:127\.|10\.|192\.168\.|172\.|0\.0\.0\.0|host\.docker)|(?:^|\.)(?:localhost|local|internal|test|invalid|example)$|(?:^|\.)example\.(?:com|org|net)$/i;

const OF_OWN_SESSIONS =
  /(?:^|[_-])(?:auth|cookie|csrf|django|flask|jwt|nextauth|rails|refresh|session)[_-]?(?:token[_-]?)?secret$/i;

type Message = 'format' | 'named' | 'url';

export const hardcodedSecret = defineRule({
  id: 'hardcoded-secret',
  meta: {
    title: 'Hardcoded credential',
    why: 'Everyone who can read the repository, its forks or its history can read a workflow file. A credential in it is public, or will be, and stays valid until it is revoked.',
    attack:
      'Bots scan public commits within minutes and try every credential they recognise at its service, with all of its permissions.',
    recommendation:
      'Revoke the credential at its service first: removing the line does not remove it from the history. Then store a new one as a secret and write `${{ secrets.NAME }}`.',
    limits:
      'Only credentials with a recognisable format, generated values in variables with telling names, and passwords in URLs are found; short passwords are not. Placeholders and examples are ignored. Tokens whose names say that they only upload reports, values that apps publish, and signing secrets of a program in jobs without credentials, which only test it, are LOW.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/use-secrets',
      'https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns',
    ],
    messages: {
      format: 'This line contains {{name}}.',
      named: '{{name}} is set to a generated value in the file instead of a secret.',
      url: 'This line contains a password in a URL of {{host}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request
          jobs:
            coverage:
              runs-on: ubuntu-latest
              env:
                # expect: named LOW
                MIXPANEL_TOKEN: q8Zr2LmX7vT4nB9sKd3WfY6p
                # expect: named LOW
                CODECOV_TOKEN: 51d0ab4e-9c7f-4b66-a2e3-7f2b9ad0c6e8
                # expect: named MEDIUM
                SENTRY_AUTH_TOKEN: q8Zr2LmX7vT4nB9sKd3WfY6p
              steps:
                - uses: codecov/codecov-action@v5
                  with:
                    # expect: named LOW
                    token: 51d0ab4e-9c7f-4b66-a2e3-7f2b9ad0c6e8
                - uses: acme/upload@v5
                  with:
                    # expect: named MEDIUM
                    token: 51d0ab4e-9c7f-4b66-a2e3-7f2b9ad0c6e8
            test:
              runs-on: ubuntu-latest
              env:
                # expect: named LOW
                JWT_SECRET: q8Zr2LmX7vT4nB9sKd3WfY6p
                # expect: named LOW
                NEXTAUTH_SECRET: Kd3WfY6pq8Zr2LmX7vT4nB9s
                # expect: named MEDIUM
                GOOGLE_CLIENT_SECRET: X7vT4nB9sKd3WfY6pq8Zr2Lm
              steps:
                - run: npm test
                  env:
                    # expect: named LOW
                    SESSION_SECRET: nB9sKd3WfY6pq8Zr2LmX7vT4
            deploy:
              runs-on: ubuntu-latest
              env:
                # expect: named MEDIUM
                JWT_SECRET: q8Zr2LmX7vT4nB9sKd3WfY6p
              steps:
                - run: ./deploy.sh
                  env: { DEPLOY_KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          env:
            # expect: format
            TOKEN: ${['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_')}
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                # expect: named
                SERVICE_TOKEN: q8Zr2LmX7vT4nB9sKd3WfY6p
              steps:
                - run: |
                    cat > key.pem <<'END'
                    # expect: format
                    -----BEGIN ${'RSA PRIVATE'} KEY-----
                    MIIEpAIBAAKCAQEAq7BFUpkGp3+LQmlQYx2eqzDV+xeG8kx/sQFV18S5JhzGeIJN
                    MIIEpAIBAAKCAQEAq7BFUpkGp3+LQmlQYx2eqzDV+xeG8kx/sQFV18S5JhzGeIJN
                    -----END ${'RSA PRIVATE'} KEY-----
                    END
                # expect: format
                - run: echo ${['Z2hwX', '3pRV0J1VFNPb1JpNEE5c3BIY1ZZNW5jbnNEa3hrSjBtTHExNw=='].join('')} | base64 -d
                # expect: url
                - run: psql postgres://app:Tr0ub4dorx@db.acme.dev/app
                # Comments are checked too:
                # expect: format
                # sk_live_${'51HqLyjWDarjtT1zdp7'}
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            registries:
              npm:
                type: npm-registry
                url: https://npm.acme.dev
                # expect: format
                token: ${['npm', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_')}
            updates: []
          `,
          'action.yml': yaml`
            name: Send
            description: Sends
            runs:
              using: composite
              steps:
                - shell: bash
                  # expect: format
                  run: curl https://hooks.slack.com/services/${'T0K3QJ7XW/B0M8RZ2LT/q8Zr2LmX7vT4nB9sKd3WfY6p'}
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          env:
            TOKEN: \${{ secrets.TOKEN }}
            EXAMPLE_TOKEN: ${['ghp', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'].join('_')}
            AWS_ACCESS_KEY_ID: AKIAIOSFODNN7EXAMPLE
            DATABASE_URL: postgres://postgres:postgres@localhost:5432/test
            POSTGRES_PASSWORD: postgres
            CACHE_KEY: v1-2024-linux-x64-abc123def456
            POSTHOG_PROJECT_TOKEN: ${['phc', 'Q7xk2Vt9Lm4Rs8Wd3Hn6Bz5Yc1Jf0Gp'].join('_')}
            TOKENIZER: model/tokenizer-v2.json
            CHECKSUM: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8
                - run: |
                    grep -q -- '-----BEGIN ${'RSA PRIVATE'} KEY-----' key.pem
                    git clone https://x-access-token:$TOKEN@github.com/acme/app
                    curl https://user:<password>@acme.dev
                    # sk-learn-contributors-and-maintainers-list
        `,
      },
    ],
  },
  check: { workflow: check, action: check, dependabot: check },
});

function* check(definition: Workflow | Action | Dependabot): Generator<Report<Message>> {
  const { text } = definition.source;
  const taken: Span[] = [];
  for (const { format, start, end } of findCredentials(text)) {
    taken.push({ start, end });
    const full = format.worth === 'full';
    yield {
      message: 'format',
      // Neither the message nor the fingerprint may contain the value.
      anchor: format.name,
      data: { name: format.name },
      at: placeOf(definition, start),
      span: { start, end },
      severity: full ? 'HIGH' : 'LOW',
      confidence: full ? 'high' : 'medium',
    };
  }
  for (const match of URL_WITH_USER.test(text) ? text.matchAll(URL_PASSWORD) : []) {
    const [whole, password = '', host = ''] = match;
    const span = { start: match.index, end: match.index + whole.length };
    if (LOCAL_HOST.test(host) || isPlaceholder(password) || overlaps(span, taken) || isWord(password)) continue;
    taken.push(span);
    yield {
      message: 'url',
      anchor: host,
      data: { host },
      at: placeOf(definition, span.start),
      span,
      confidence: 'medium',
      severity: 'MEDIUM',
    };
  }
  if (definition.kind === 'dependabot') return;
  for (const { variable, at } of variablesOf(definition)) {
    const { value, span } = variable.value;
    if (!TELLING.test(variable.name) || !isGenerated(value) || overlaps(span, taken)) continue;
    yield {
      message: 'named',
      anchor: variable.name,
      data: { name: variable.name },
      at,
      span: variable.span,
      severity: isOfLittleWorth(variable, at) ? 'LOW' : 'MEDIUM',
      confidence: 'medium',
    };
  }
}

function isOfLittleWorth({ name }: Variable, at: Workflow | Job | Step): boolean {
  if (OF_OWN_SESSIONS.test(name)) {
    const job = at.kind === 'step' ? jobOf(at) : at;
    const jobs = job?.kind === 'workflow' ? job.jobs : job === undefined ? [] : [job];
    return jobs.length > 0 && !jobs.some((each) => credentialsOf(each).any);
  }
  const [owner] = (at.kind === 'step' ? actionOf(at)?.slug : undefined)?.split('/') ?? [];
  return [name, `${owner}_${name}`].some(
    (each) => isPublished(each.toLowerCase()) || uploadsReports(each.toLowerCase()),
  );
}

function overlaps(span: Span, taken: readonly Span[]): boolean {
  return taken.some(({ start, end }) => span.start < end && start < span.end);
}

function isWord(password: string): boolean {
  return /^[a-z]+\d{0,4}$/i.test(password);
}

const KEY_OF_PAGES = /^(?:phc_|pk_(?:live|test)_|pk\.|sb_publishable_)/;

function isGenerated(value: string): boolean {
  if (KEY_OF_PAGES.test(value)) return false;
  if (!/^[A-Za-z0-9+/_=.-]{20,200}$/.test(value) || isPlaceholder(value) || !looksGenerated(value)) return false;
  return !/^https?:|^\.{0,2}\/|\.(?:json|ya?ml|txt|pem|js|ts)$/.test(value) && entropyOf(value) >= 3.2;
}

function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

function* variablesOf(definition: Definition): Generator<{ variable: Variable; at: Workflow | Job | Step }> {
  if (definition.kind === 'workflow') {
    for (const variable of definition.env?.entries ?? []) yield { variable, at: definition };
    for (const job of definition.jobs) {
      for (const variable of job.env?.entries ?? []) yield { variable, at: job };
      for (const variable of [...(job.with?.entries ?? []), ...(job.secrets?.entries ?? [])])
        yield { variable, at: job };
    }
  }
  for (const step of stepsOf(definition)) {
    for (const variable of [...(step.env?.entries ?? []), ...(step.with?.entries ?? [])]) yield { variable, at: step };
  }
}

function placeOf(
  definition: Workflow | Action | Dependabot,
  offset: number,
): Workflow | Action | Dependabot | Job | Step {
  const holds = ({ span }: Job | Step): boolean => span.start <= offset && offset < span.end;
  if (definition.kind === 'dependabot') return definition;
  if (definition.kind === 'action') return definition.steps.find(holds) ?? definition;
  const job = definition.jobs.find(holds);
  return job?.steps.find(holds) ?? job ?? definition;
}
