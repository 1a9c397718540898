import { memoByNode } from '#lib/analysis/memo.ts';
import { secretNamesIn } from '#lib/analysis/privileges/secret-names.ts';
import { storedCredentialOf } from '#lib/analysis/privileges/stored-credential.ts';
import { startsOf } from '#lib/analysis/reachability/callers.ts';
import { PULL_REQUEST_EVENTS } from '#lib/analysis/reachability/events.ts';
import { inputOf, isTrue, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Trigger, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'pushes' | 'rewrites';

export const workflowPushesToProtectedRef = defineRule({
  id: 'workflow-pushes-to-protected-ref',
  meta: {
    title: 'Workflow pushes to a protected branch with its own credential',
    why: 'Branch rules apply to the job’s own token. A workflow that pushes usually gets another credential, of a person or app that can bypass these rules. Any code in the job can then change the branch without a pull request, review or check.',
    attack:
      'A compromised dependency that the job installs reads the credential that the checkout stored, and pushes a malicious commit to the default branch.',
    recommendation:
      'Let the workflow open a pull request, or keep generated files and version numbers out of the branch. If it must push, do nothing else in that job, use the token of a GitHub App limited to this repository, and allow only that app to bypass the ruleset.',
    limits:
      'Which branches are protected, and who can bypass that, are settings; branches are judged by name. Branches computed by a script are not followed, and pushes made by release tools are not detected.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-source-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/about-rulesets',
      'https://slsa.dev/spec/v1.2/source-requirements',
    ],
    messages: {
      pushes: '{{what}} writes to {{branch}} with {{credential}}, which may bypass the branch’s rules.',
      rewrites:
        '{{what}} overwrites the history of {{branch}} with {{credential}}, which may bypass the branch’s rules.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            version:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { token: "\${{ secrets.BOT_TOKEN }}" }
                - run: |
                    make version
                    git commit -am "Next version"
                    # expect: pushes
                    git push
        `,
      },
      {
        yaml: yaml`
          on: [push, schedule]
          jobs:
            table:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ssh-key: "\${{ secrets.DEPLOY_KEY }}" }
                - run: make
                # expect: pushes
                - uses: stefanzweifel/git-auto-commit-action@v6
                # expect: rewrites
                - run: git push --force origin HEAD:main
                # expect: pushes
                - run: git push "https://bot:$TOKEN@github.com/acme/app" "HEAD:\${{ github.ref_name }}"
                  env: { TOKEN: "\${{ secrets.OTHER }}" }
                # expect: pushes
                - run: git remote add bot "https://bot:$TOKEN@github.com/acme/app" && git push bot main
                  env: { TOKEN: "\${{ secrets.OTHER }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { branches: [translations, 'bot/**'] } }
          jobs:
            count:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { token: "\${{ secrets.BOT_TOKEN }}" }
                - run: git push
        `,
      },
      {
        yaml: {
          '.github/workflows/translate.yml': yaml`
            on: { push: { branches: [translations, 'bot/**'] } }
            jobs: { count: { uses: ./.github/workflows/count.yml, secrets: inherit } }
          `,
          '.github/workflows/count.yml': yaml`
            on: workflow_call
            jobs:
              count:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                    with: { token: "\${{ secrets.BOT_TOKEN }}" }
                  - run: git push
          `,
        },
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            own-token:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: git push
            elsewhere:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { token: "\${{ secrets.BOT_TOKEN }}", repository: acme/docs }
                - run: git push
            other-refs:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { token: "\${{ secrets.BOT_TOKEN }}" }
                - run: |
                    git push origin --tags
                    git push origin v1.2.3
                    git push --delete origin main
                    git push origin HEAD:gh-pages
                    git push origin "$BRANCH"
                    git push --dry-run
                - run: |
                    git remote add mirror https://github.com/acme-bot/app.git
                    git push --force mirror main
                - run: |
                    git switch -c update
                    git push
                - uses: stefanzweifel/git-auto-commit-action@v6
                  with: { branch: generated }
            pull-requests:
              if: github.event_name == 'pull_request'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { token: "\${{ secrets.BOT_TOKEN }}", ref: "\${{ github.head_ref }}" }
                - run: git push
        `,
      },
    ],
  },
  check: { workflow: check },
});

interface Push {
  readonly what: string;
  readonly span: Span;
  readonly branch: string;
  readonly force: boolean;
}

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  if (!startsOf(workflow, repository).some(runsOnMain)) return;
  for (const job of workflow.jobs) {
    for (const step of job.steps) {
      const pushes = pushesOf(step, repository);
      if (pushes.length === 0) continue;
      const credential = credentialOf(step, job);
      if (credential === undefined) continue;
      for (const { what, span, branch, force } of pushes) {
        const message = force ? 'rewrites' : 'pushes';
        yield {
          message,
          data: { what, branch, credential },
          at: step,
          span,
          severity: force ? 'MEDIUM' : 'LOW',
          attributes: { kind: 'write-token' },
        };
        break;
      }
    }
  }
}

function runsOnMain({ event, branches }: Trigger): boolean {
  if (event !== 'push' || branches === undefined) return !PULL_REQUEST_EVENTS.has(event);
  return branches.some((branch) => /^(?:\*|main|master|trunk|develop|release|stable|v?\d)/.test(branch));
}

const MAIN = /^(?:refs\/heads\/)?(?:main|master|trunk|develop)$/;
const CURRENT =
  /^(?:refs\/heads\/)?(?:\$\{\{\s*github\.(?:ref_name|ref|event\.repository\.default_branch)\s*\}\}|\$\{?GITHUB_REF(?:_NAME)?\}?)$/;

function isMain(name: string): boolean {
  return MAIN.test(name) || CURRENT.test(name);
}

const OWN_BRANCH = 'the branch it runs on';

function pushesOf(step: Step, repository: Repository): Push[] {
  if (runsAction(step, 'stefanzweifel/git-auto-commit-action', 'endbug/add-and-commit', 'ad-m/github-push-action')) {
    return ofAction(step);
  }
  if (!/\bpush\b/.test(step.run?.value ?? '')) return [];
  const commands = commandsOf(step);
  const moved = commands.some(leavesBranch) || isMovedBefore(step);
  const others = commands.flatMap((command) => otherRemote(command, repository));
  return commands.flatMap((command) => (goesTo(command, others) ? [] : ofCommand(command, moved)));
}

const ADDRESS = /^https:\/\/[\w.-]{1,100}\/([\w.-]{1,100}\/[\w.-]{1,100}?)(?:\.git)?\/?$/;

function otherRemote({ program, args }: ShellCommand, { fullName }: Repository): string[] {
  const words = args.map(({ value }) => value);
  if (program !== 'git' || words[0] !== 'remote' || words[1] !== 'add') return [];
  const [name, address] = words
    .slice(2)
    .filter((word) => !word.startsWith('-'))
    .slice(-2);
  const [, target] = ADDRESS.exec(address ?? '') ?? [];
  return name === undefined || target === undefined || target.toLowerCase() === fullName?.toLowerCase() ? [] : [name];
}

function goesTo({ args }: ShellCommand, remotes: readonly string[]): boolean {
  const at = args.findIndex(({ value }) => value === 'push');
  const remote = args.slice(at + 1).find(({ value }) => !value.startsWith('-'));
  return remote !== undefined && remotes.includes(remote.value);
}

function isMovedBefore(step: Step): boolean {
  const job = jobOf(step);
  return job !== undefined && firstMove(job) < step.index;
}

const firstMove = memoByNode(({ steps }: Job): number => {
  const index = steps.findIndex(
    (step) => step.run !== undefined && /\bgit\b/.test(step.run.value) && commandsOf(step).some(leavesBranch),
  );
  return index === -1 ? Number.POSITIVE_INFINITY : index;
});

function ofAction(step: Step): Push[] {
  const { uses } = step;
  const branch = (inputOf(step, 'branch') ?? inputOf(step, 'new_branch'))?.value.trim() ?? '';
  const elsewhere = inputOf(step, 'repository') !== undefined || (branch !== '' && !isMain(branch));
  if (uses === undefined || elsewhere || /^false$/i.test(inputOf(step, 'push')?.value.trim() ?? '')) return [];
  if (isMovedBefore(step)) return [];
  const force = isTrue(inputOf(step, 'force'));
  const [action = ''] = uses.text.value.split('@');
  return [
    { what: action, span: uses.text.span, branch: branch === '' || CURRENT.test(branch) ? OWN_BRANCH : branch, force },
  ];
}

function leavesBranch({ program, args }: ShellCommand): boolean {
  if (program !== 'git') return program === 'gh' && args[0]?.value === 'pr' && args[1]?.value === 'checkout';
  const words = args.map(({ value }) => value);
  if (words.includes('clone') || words.includes('init') || words.includes('worktree')) return true;
  const at = words.findIndex((word) => word === 'checkout' || word === 'switch');
  const target = words.slice(at + 1).find((word) => !word.startsWith('-'));
  return at !== -1 && !words.includes('--') && target !== undefined && !isMain(target) && target !== '.';
}

const VALUE_OPTIONS = new Set(['-o', '--push-option', '--repo', '-C', '-c']);

function ofCommand({ program, args, span }: ShellCommand, moved: boolean): Push[] {
  const words = args.map(({ value }) => value);
  const at = words.indexOf('push');
  // Only options precede the subcommand, and `-C` means another directory.
  if (program !== 'git' || at === -1 || words.slice(0, at).some((word) => !word.startsWith('-') || word === '-C')) {
    return [];
  }
  const options = words.slice(at + 1);
  if (options.some((word) => /^(?:--tags|--delete|-d|--dry-run|-n|--mirror|--all)$/.test(word))) return [];
  const names = options.filter((word, index) => !word.startsWith('-') && !VALUE_OPTIONS.has(options[index - 1] ?? ''));
  const [, refspec = ''] = names;
  const target = refspec.replace(/^\+/, '').replace(/^[^:]*:/, '');
  const current = target === '' || target === 'HEAD';
  if (refspec.startsWith(':') || (current ? moved : !isMain(target))) return [];
  const force =
    refspec.startsWith('+') || options.some((word) => /^(?:-f|--force(?:-with-lease(?:=.*)?)?)$/.test(word));
  return [{ what: 'git push', span, branch: current || CURRENT.test(target) ? OWN_BRANCH : target, force }];
}

function credentialOf(step: Step, job: Job): string | undefined {
  const own = [...(step.env?.entries ?? []), ...(step.with?.entries ?? [])]
    .filter(({ name }) => /token|key|pat$|password/i.test(name))
    .flatMap(({ value }) => secretNamesIn(value))
    .find((name) => name !== 'github_token');
  const inUrl =
    /https:\/\/[^\s/]{0,200}@|set-url|x-access-token/.test(step.run?.value ?? '') || step.uses !== undefined;
  if (own !== undefined && inUrl) return `the secret ${own.toUpperCase()}`;
  // Git uses the credential of the last checkout of this repository.
  const checkout = job.steps.slice(0, step.index).findLast((each) => storedCredentialOf(each) !== undefined);
  if (checkout === undefined || inputOf(checkout, 'repository') !== undefined) return undefined;
  const ref = inputOf(checkout, 'ref')?.value.trim() ?? '';
  if (ref !== '' && !isMain(ref)) return undefined;
  const { secret, folder } = storedCredentialOf(checkout) ?? {};
  if (secret === undefined || folder !== '') return undefined;
  const [context = '', name = ''] = secret.split('.');
  return context === 'secrets' ? `the secret ${name.toUpperCase()}` : `the token of ${secret}`;
}
