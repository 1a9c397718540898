import { secretInCommand, secretsFlowingIn, secretVariables } from '#lib/analysis/dataflow/secret-use.ts';
import { namesKey } from '#lib/analysis/privileges/job-credentials.ts';
import { opensLittle } from '#lib/analysis/privileges/secret-names.ts';
import { keepsCachesToTags } from '#lib/analysis/workspace/caches.ts';
import { holdsFile, type Upload, uploadOf } from '#lib/analysis/workspace/uploads.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type Severity, yaml } from '../engine/rule.ts';

type Message = 'written' | 'environment' | 'login';

export const secretsInArtifacts = defineRule({
  id: 'secrets-in-artifacts',
  meta: {
    title: 'Secret is uploaded in an artifact or cache',
    why: 'Secrets are masked in the log and nowhere else. Anyone who can read the repository can download its artifacts (anyone with an account, if it is public), and runs on other branches restore its caches.',
    attack: 'The attacker downloads the artifact of a finished run and extracts the key from the file.',
    recommendation:
      'Write secrets to `$RUNNER_TEMP`, upload only the directory with the results, and delete the file before the upload. Rotate a secret that was ever uploaded: artifacts are kept for 90 days by default.',
    limits:
      'Detects files that a shell command prints a secret into, dumps of the environment, and the credentials file of google-github-actions/auth. What other programs write is not known. In a cache that only runs of a tag restore, a secret is LOW, as is one that opens next to nothing in any cache.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://unit42.paloaltonetworks.com/github-repo-artifacts-leak-tokens/',
      'https://docs.github.com/actions/tutorials/store-and-share-data',
      'https://github.com/google-github-actions/auth#prerequisites',
    ],
    messages: {
      written: '{{file}} contains {{secret}}, written in line {{line}}, and is uploaded with the {{to}}.',
      environment:
        '{{file}} contains the environment with {{secret}}, written in line {{line}}, and is uploaded with the {{to}}.',
      login:
        'google-github-actions/auth in line {{line}} leaves its credentials file in the workspace, which is uploaded with the {{to}}.',
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
              steps:
                - run: echo "\${{ secrets.API_KEY }}" > config/key.txt
                - run: make
                # expect: written
                - uses: actions/upload-artifact@v4
                  with:
                    name: build
                    path: |
                      dist
                      config/
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: google-github-actions/auth@v2
                  with: { credentials_json: "\${{ secrets.GCP_KEY }}" }
                - env: { TOKEN: "\${{ secrets.TOKEN }}" }
                  run: |
                    env > debug.txt
                    cat > .env <<END
                    TOKEN=$TOKEN
                    END
                # expect: login, environment, written
                - uses: actions/upload-artifact@v4
                  with: { path: ., include-hidden-files: true }
        `,
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - run: |
                      echo "TOKEN=\${{ secrets.SENTRY_AUTH_TOKEN }}" > web/.env
                      echo "ORG=\${{ secrets.SENTRY_ORG }}" >> web/.env
                  # expect: written LOW
                  - uses: actions/cache@v4
                    with: { path: web, key: web }
                  # expect: written HIGH
                  - uses: actions/upload-artifact@v4
                    with: { path: web, include-hidden-files: true }
          `,
          '.github/workflows/build.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - run: |
                      echo "TOKEN=\${{ secrets.SENTRY_AUTH_TOKEN }}" > web/.env
                      echo "TOKEN=\${{ secrets.CODECOV_TOKEN }}" > web/codecov
                      echo "ORG=\${{ secrets.SENTRY_ORG }}" > web/org
                  # expect: written MEDIUM, written LOW
                  - uses: actions/cache@v4
                    with: { path: web, key: web }
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              env: { TOKEN: "\${{ secrets.TOKEN }}" }
              steps:
                - uses: google-github-actions/auth@v2
                  with: { credentials_json: "\${{ secrets.GCP_KEY }}", create_credentials_file: false }
                - run: |
                    echo "$TOKEN" > "$RUNNER_TEMP/token"
                    echo "$TOKEN" > ~/.token
                    echo "$TOKEN" > .env
                    echo "$TOKEN" > config/token
                    echo "$TOKEN" > dist/token
                    ./build.sh --token "$TOKEN" > dist/log.txt
                    echo "$TOKEN" | sha256sum > dist/digest
                    rm -f dist/token
                - uses: actions/upload-artifact@v4
                  with: { path: dist }
                - uses: actions/upload-artifact@v4
                  with:
                    path: |
                      .
                      !config/token
                      !dist
            page:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    echo "SENTRY_PROJECT_ID=\${{ secrets.SENTRY_PROJECT_ID }}" > dist/ids
                    echo "KEY=\${{ secrets.POSTHOG_PROJECT_API_KEY }}" >> dist/ids
                - uses: actions/upload-artifact@v4
                  with: { path: dist }
        `,
      },
    ],
  },
  check: { workflow: check },
});

interface SecretFile {
  readonly message: Message;
  readonly file: string;
  readonly secret: string;
  readonly step: Step;
  readonly span: Span;
}

const MAX_COMPARED = 100;

function* check(workflow: Workflow): Generator<Report<Message>> {
  if (!/secrets/.test(workflow.source.text)) return;
  for (const job of workflow.jobs) {
    const uploads = job.steps.flatMap((step) => uploadOf(step) ?? []).slice(0, MAX_COMPARED);
    if (uploads.length === 0) continue;
    const files = job.steps.flatMap((step) => [...writtenFiles(step), ...loginFile(step)]).slice(0, MAX_COMPARED);
    for (const upload of uploads) {
      for (const file of files) if (isUploaded(file, upload, job)) yield report(file, upload);
    }
  }
}

function report({ message, file, secret, step, span }: SecretFile, upload: Upload): Report<Message> {
  return {
    message,
    data: { file, secret, to: upload.to, line: String(sourceOf(step).position(span.start).line) },
    at: upload.step,
    span: upload.step.uses?.span ?? upload.step.span,
    anchor: `${message} ${file}`,
    severity: severityOf({ message, secret }, upload),
    attributes: { kind: 'repo-secret', file, to: upload.to },
  };
}

/** Only runs can read caches, and the file of a federated login holds a token that expires with the job. */
function severityOf({ message, secret }: Pick<SecretFile, 'message' | 'secret'>, { to, step }: Upload): Severity {
  const job = jobOf(step);
  if (to === 'cache' && ((job !== undefined && keepsCachesToTags(job)) || opensLittle(secret))) return 'LOW';
  return message === 'written' && to !== 'cache' ? 'HIGH' : 'MEDIUM';
}

function isUploaded({ file, step }: SecretFile, upload: Upload, job: Job): boolean {
  if (upload.step.index <= step.index || !holdsFile(upload, file)) return false;
  return !job.steps.slice(step.index, upload.step.index).some((between) => removes(between, file));
}

function removes(step: Step, file: string): boolean {
  const name = file.split('/').at(-1) as string;
  return (
    /\b(?:rm|shred|mv)\b/.test(step.run?.value ?? '') &&
    commandsOf(step).some(
      ({ program, text }) => (program === 'rm' || program === 'shred' || program === 'mv') && text.includes(name),
    )
  );
}

const PRINTS: ReadonlySet<string> = new Set(['base64', 'cat', 'echo', 'envsubst', 'printf', 'tee']);

function* writtenFiles(step: Step): Generator<SecretFile> {
  if (!/>|\btee\b/.test(step.run?.value ?? '')) return;
  const variables = secretVariables(step);
  for (const { command, folder } of placedCommands(step)) {
    const upstream = command.pipeline.slice(0, command.pipeline.indexOf(command) + 1);
    const dump = isDump(command) ? [...variables.values()][0] : undefined;
    const printed = upstream.every(({ program }) => PRINTS.has(program))
      ? upstream.map((each) => secretInCommand(each, variables)).find((name) => name !== undefined && namesKey(name))
      : undefined;
    const secret = dump ?? printed;
    if (secret === undefined) continue;
    for (const target of targetsOf(command)) {
      const file = /^[/~]/.test(target) ? undefined : folderAt(folder, target);
      if (file === undefined || file === '' || /[$`{]/.test(file)) continue;
      yield { message: dump === undefined ? 'written' : 'environment', file, secret, step, span: command.span };
    }
  }
}

function isDump({ program, args, words }: ShellCommand): boolean {
  return (program === 'printenv' && args.length === 0) || (words.length === 1 && words[0]?.value === 'env');
}

function targetsOf({ program, args, redirects }: ShellCommand): string[] {
  const redirected = redirects.flatMap(({ operator, target }) =>
    /^(?:>|>>|&>|>\|)$/.test(operator) && target !== undefined ? target.value : [],
  );
  const tee = program === 'tee' ? args.map(({ value }) => value).filter((value) => !value.startsWith('-')) : [];
  return [...redirected, ...tee];
}

/** The real name is random; the file is at the root of the workspace. */
const LOGIN_FILE = 'gha-creds-0.json';

function loginFile(step: Step): SecretFile[] {
  const action = actionOf(step);
  if (action?.slug !== 'google-github-actions/auth' || step.uses === undefined) return [];
  if (isFalse(inputOf(step, 'create_credentials_file'))) return [];
  const key = inputOf(step, 'credentials_json');
  const [secret] = key === undefined ? [] : secretsFlowingIn(key);
  // A federated login writes no key.
  if (secret === undefined) return [];
  return [{ message: 'login', file: LOGIN_FILE, secret, step, span: step.uses.span }];
}
