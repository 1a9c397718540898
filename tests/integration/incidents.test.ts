import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/scanner/finding.ts';
import { scanRepository } from '../../lib/scanner/scan.ts';
import { createRepository } from '../../lib/workflow/repository.ts';

const ROOT = 'tests/fixtures/incidents';

interface Expected {
  readonly rule: string;
  readonly message: string;
  /** Below `.github/workflows` unless it begins with `.github`. */
  readonly file: string;
  /** A part of the line that the finding stands on. */
  readonly line: string;
  /** Only where HIGH would say too much, and why. */
  readonly medium?: string;
}

interface Incident {
  /** Why it is not found yet. */
  readonly missed?: string;
  readonly name: string;
  /** What happened, or what was shown to be possible, rebuilt small and in our own words. */
  readonly what: string;
  readonly reference: string;
  readonly expected: readonly Expected[];
}

const expectation = (file: string, rule: string, message: string, line: string, medium?: string): Expected => ({
  file,
  rule,
  message,
  line,
  ...(medium === undefined ? {} : { medium }),
});

const SECURITY_LAB = 'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/';
const INJECTION = 'https://securitylab.github.com/resources/github-actions-untrusted-input/';
const CODEQL = 'https://codeql.github.com/codeql-query-help/actions/';

const INCIDENTS: readonly Incident[] = [
  {
    name: 'spotbugs-2024',
    what: '2024-25: a pull request built by a pull_request_target workflow leaked a personal token, with which reviewdog and tj-actions were reached.',
    reference: 'https://unit42.paloaltonetworks.com/github-actions-supply-chain-attack/',
    expected: [expectation('build.yml', 'untrusted-checkout-exec', 'runs', './mvnw')],
  },
  {
    name: 'tj-actions-2025',
    what: '2025: the tags of a popular action were moved to a commit that printed secrets of the runner.',
    reference: 'GHSA-mrrh-fwg8-r2c3',
    expected: [expectation('lint.yml', 'compromised-action-ref', 'commit', '0e58ed86')],
  },
  {
    name: 'changed-file-names-2023',
    what: '2023: names of changed files, listed by an action, ran as shell syntax.',
    reference: 'GHSA-mcph-m25j-8j63',
    expected: [expectation('format.yml', 'template-injection', 'outsider', 'all_changed_files')],
  },
  {
    name: 'ultralytics-2024',
    what: '2024: a branch name ran in a composite action, and a poisoned cache reached the release.',
    reference: 'https://blog.pypi.org/posts/2024-12-11-ultralytics-attack-analysis/',
    expected: [expectation('.github/actions/format/action.yml', 'template-injection', 'outsider', 'git pull')],
  },
  {
    name: 'nx-s1ngularity-2025',
    what: '2025: the title of a pull request ran in a pull_request_target workflow and led to the npm token.',
    reference: 'GHSA-cxm3-wv7p-598c',
    expected: [expectation('title.yml', 'template-injection', 'outsider', 'pull_request.title')],
  },
  {
    name: 'grafana-2025',
    what: '2025: a branch name ran in a job that held the key of a GitHub App.',
    reference:
      'https://grafana.com/blog/2025/04/27/grafana-security-update-no-customer-impact-from-github-workflow-vulnerability/',
    expected: [expectation('levitate.yml', 'template-injection', 'outsider', 'head.ref')],
  },
  {
    name: 'rspack-2024',
    what: '2024: a comment made a workflow build the pull request with an npm token at hand.',
    reference: 'https://github.com/web-infra-dev/rspack/issues/8767',
    expected: [
      expectation('ecosystem.yml', 'untrusted-checkout-exec', 'runs', 'pnpm install'),
      expectation('ecosystem.yml', 'missing-trigger-authorization', 'executes', 'startsWith'),
    ],
  },
  {
    name: 'trivy-2026',
    what: '2026: a local action was run from the test merge of a pull request in a pull_request_target workflow.',
    reference: 'https://www.stepsecurity.io/blog/hackerbot-claw-github-actions-exploitation',
    expected: [expectation('api-diff.yml', 'untrusted-checkout-exec', 'runs', './.github/actions/setup')],
  },
  {
    name: 'tanstack-2026',
    what: '2026: a benchmark of pull requests filled the cache that the signed release restored.',
    reference: 'https://tanstack.com/blog/incident-followup',
    expected: [
      expectation(
        'release.yml',
        'cache-poisoning',
        'reachable',
        'actions/cache',
        'github.com gives such runs caches to read only since June 2026',
      ),
    ],
  },
  {
    name: 'cline-2026',
    what: '2026: an agent that triaged issues did what a title said, up to the release.',
    reference: 'https://adnanthekhan.com/posts/clinejection/',
    expected: [
      expectation('triage.yml', 'ai-prompt-injection', 'prompt', 'claude-code-action'),
      expectation('triage.yml', 'ai-agent-unrestricted-trigger', 'widened', 'allowed_non_write_users'),
    ],
  },
  {
    name: 'promptpwnd-gemini-2025',
    what: '2025: the text of an issue reached an agent through variables that its prompt names.',
    reference: 'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
    expected: [expectation('triage.yml', 'ai-prompt-injection', 'prompt', 'run-gemini-cli')],
  },
  {
    name: 'promptpwnd-codex-2025',
    what: '2025: anybody’s comment became the instructions of an agent without a sandbox.',
    reference: 'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
    expected: [
      expectation('answer.yml', 'ai-prompt-injection', 'prompt', 'codex-action'),
      expectation('answer.yml', 'ai-agent-unrestricted-trigger', 'widened', 'allow-users'),
    ],
  },
  {
    name: 'elementary-data-2026',
    what: '2026: the text of a comment ran in a workflow that only printed it.',
    reference: 'https://github.com/elementary-data/elementary/pull/2206',
    expected: [expectation('ticket.yml', 'template-injection', 'outsider', 'comment.body')],
  },
  {
    name: 'kong-2024',
    what: '2024: code of a pull request ran with a bot’s token, and a miner was published as an image.',
    reference: 'https://github.com/Kong/kubernetes-ingress-controller/issues/6907',
    expected: [expectation('regenerate.yml', 'untrusted-checkout-exec', 'runs', 'make generate')],
  },
  {
    name: 'pytorch-2024',
    what: '2024: pull requests of former contributors ran on machines of the project that lived on.',
    reference:
      'https://johnstawinski.com/2024/01/11/playing-with-fire-how-we-executed-a-critical-supply-chain-attack-on-pytorch/',
    expected: [expectation('test.yml', 'self-hosted-runner-pr', 'code', 'self-hosted')],
  },
  {
    name: 'ghostaction-2025',
    what: '2025: planted workflows sent the secrets of 817 repositories to one host.',
    reference: 'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
    expected: [expectation('security.yml', 'secret-exfiltration', 'others', 'curl')],
  },
  {
    name: 'shai-hulud-secrets-2025',
    what: '2025: a worm planted workflows that sent the whole secrets object away.',
    reference:
      'https://www.cisa.gov/news-events/alerts/2025/09/23/widespread-supply-chain-compromise-impacting-npm-ecosystem',
    expected: [
      expectation('shai.yml', 'secret-exfiltration', 'collector', 'curl'),
      expectation(
        'shai.yml',
        'overprovisioned-secrets',
        'whole',
        'toJSON(secrets)',
        'it only widens what the transmission takes',
      ),
    ],
  },
  {
    name: 'shai-hulud-runner-2025',
    what: '2025: the worm’s second wave left a workflow by which any discussion ran commands on an own runner.',
    reference: 'https://www.wiz.io/blog/shai-hulud-2-0-ongoing-supply-chain-attack',
    expected: [expectation('discussion.yml', 'template-injection', 'outsider', 'discussion.body')],
  },
  {
    name: 'codecov-2021',
    what: '2021: a script that was fetched and run in thousands of pipelines had been changed.',
    reference: 'https://about.codecov.io/security-update/',
    expected: [
      expectation(
        'coverage.yml',
        'unverified-script-exec',
        'piped',
        'bash <(',
        'the vendor has to be taken over first',
      ),
    ],
  },
  {
    name: 'artipacked-2024',
    what: '2024: uploaded workspaces held the token of the checkout.',
    reference: 'https://unit42.paloaltonetworks.com/github-repo-artifacts-leak-tokens/',
    expected: [expectation('build.yml', 'artipacked', 'artifact', 'actions/checkout')],
  },
  {
    name: 'dependabot-deputy-2022',
    what: '2022: whoever makes Dependabot act last on a fork’s pull request passes a test of github.actor.',
    reference: 'https://www.synacktiv.com/publications/github-actions-exploitation-dependabot',
    expected: [
      expectation('merge.yml', 'bot-conditions', 'actor', 'github.actor'),
      expectation('merge.yml', 'confused-deputy-auto-merge', 'actor', 'gh pr merge'),
    ],
  },
  {
    name: 'artifact-script-2022',
    what: '2022: a privileged workflow ran a script out of the artifact of a pull request’s run.',
    reference: 'https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust',
    expected: [expectation('comment.yml', 'artifact-poisoning', 'executed', 'download-artifact')],
  },
  {
    name: 'artifact-over-checkout-2023',
    what: '2023: an artifact was unpacked over the checkout whose scripts ran next.',
    reference: 'https://github.com/advisories/GHSA-5xr6-xhww-33m4',
    expected: [expectation('quality.yml', 'artifact-poisoning', 'overwrites', 'gh run download')],
  },
  {
    name: 'artifact-environment-2022',
    what: '2022: a file of an artifact was appended to GITHUB_ENV, where LD_PRELOAD does the rest.',
    reference: 'https://www.legitsecurity.com/blog/github-privilege-escalation-vulnerability',
    expected: [
      expectation('preview.yml', 'artifact-poisoning', 'variables', 'action-download-artifact'),
      expectation('preview.yml', 'github-env', 'variables', 'cat artifact/pr.env'),
    ],
  },
  {
    name: 'label-gate-race',
    what: 'Known since 2021: the code that a label approves is exchanged before it is checked out.',
    reference: SECURITY_LAB,
    expected: [expectation('integration.yml', 'untrusted-checkout-toctou', 'label', 'head.ref')],
  },
  {
    name: 'deploy-comment-race',
    what: 'Shown in 2024: a push between a member’s /deploy and the checkout is what is deployed.',
    reference: 'https://github.com/AdnaneKhan/ActionsTOCTOU',
    expected: [expectation('deploy.yml', 'untrusted-checkout-toctou', 'comment', 'refs/pull/')],
  },
  {
    name: 'issue-body-2022',
    what: '2022: bodies of issues ran in the triage workflows of several known projects.',
    reference: INJECTION,
    expected: [expectation('triage.yml', 'template-injection', 'outsider', 'issue.body')],
  },
  {
    name: 'issues-helper-2026',
    what: '2026: every tag of an action that answers issues was moved to malicious commits.',
    reference:
      'https://www.stepsecurity.io/blog/actions-cool-issues-helper-github-action-compromised-all-tags-point-to-imposter-commit-that-exfiltrates-ci-cd-credentials',
    expected: [expectation('helper.yml', 'compromised-action-ref', 'tag', 'issues-helper')],
  },
  {
    name: 'target-install-2023',
    what: '2023-25: many projects installed a pull request’s requirements under pull_request_target.',
    reference: SECURITY_LAB,
    expected: [expectation('checks.yml', 'untrusted-checkout-exec', 'runs', 'pip install')],
  },
  {
    name: 'head-in-subfolder',
    what: 'Known since 2021: a fork’s code in a folder of its own, and a build inside that folder.',
    reference: SECURITY_LAB,
    expected: [expectation('docs.yml', 'untrusted-checkout-exec', 'runs', 'make -C')],
  },
  {
    name: 'gh-pr-checkout',
    what: 'Known since 2023: a formatting command checks the pull request out with gh.',
    reference: CODEQL,
    expected: [
      expectation('format.yml', 'untrusted-checkout-exec', 'runs', 'npm ci'),
      expectation('format.yml', 'missing-trigger-authorization', 'executes', 'contains'),
    ],
  },
  {
    name: 'install-after-run',
    what: 'Known since 2021: workflow_run builds the head of the run that it follows.',
    reference: SECURITY_LAB,
    expected: [expectation('preview.yml', 'untrusted-checkout-exec', 'runs', 'npm install')],
  },
  {
    name: 'reusable-input',
    what: 'Known since 2022: the title of an issue travels through an input of a called workflow.',
    reference: INJECTION,
    expected: [expectation('notify.yml', 'template-injection', 'outsider', 'inputs.subject')],
  },
  {
    name: 'composite-input',
    what: 'Known since 2022: a body travels through an input of a composite action.',
    reference: INJECTION,
    expected: [expectation('.github/actions/greet/action.yml', 'template-injection', 'outsider', 'inputs.text')],
  },
  {
    name: 'script-literal',
    what: 'Known since 2020: a title inside a string of github-script.',
    reference: INJECTION,
    expected: [expectation('label.yml', 'template-injection', 'outsider', 'issue.title')],
  },
  {
    name: 'script-to-environment',
    missed: 'what scripts of github-script write to files is not followed',
    what: 'Shown in 2023: github-script appends a comment to GITHUB_ENV.',
    reference: CODEQL,
    expected: [expectation('parse.yml', 'github-env', 'variables', 'appendFileSync')],
  },
  {
    name: 'script-result',
    what: 'Shown in 2023: what github-script returns of a comment is pasted into a command.',
    reference: CODEQL,
    expected: [expectation('parse.yml', 'template-injection', 'outsider', 'outputs.result')],
  },
  {
    name: 'matrix-from-artifact',
    what: 'Shown in 2024: the jobs of a matrix are named by a file of a pull request’s run.',
    reference: CODEQL,
    expected: [expectation('deploy.yml', 'artifact-poisoning', 'expanded', 'download-artifact')],
  },
  {
    name: 'environment-file-from-fork',
    what: 'Known since 2022: a file of the fork goes into GITHUB_ENV.',
    reference: CODEQL,
    expected: [expectation('versions.yml', 'github-env', 'variables', 'cat .versions')],
  },
  {
    name: 'inherited-secrets',
    what: '2025: every secret went to a called workflow of another account, at a branch.',
    reference: 'https://docs.github.com/actions/reference/security/secure-use',
    expected: [expectation('release.yml', 'secrets-inherit', 'movable', 'secrets: inherit')],
  },
  {
    name: 'registry-password',
    what: 'Known since 2019: a registry password in the workflow file.',
    reference: 'https://docs.github.com/actions/reference/security/secure-use',
    expected: [expectation('test.yml', 'hardcoded-container-credentials', 'password', 'hunter2')],
  },
  {
    name: 'signed-fork-artifact',
    what: 'Shown in 2024: what a pull request built was signed and published.',
    reference: 'https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust',
    expected: [expectation('sign.yml', 'artifact-poisoning', 'shipped', 'download-artifact')],
  },
  {
    name: 'evaluated-variable',
    what: 'Shown in 2024: a comment passed by a variable, as is advised, and then given to eval.',
    reference: CODEQL,
    expected: [expectation('command.yml', 'template-injection', 'evaluated', 'eval')],
  },
  {
    name: 'evaluated-shell',
    what: 'Shown in 2024: a title inside the double quotes of bash -c.',
    reference: CODEQL,
    expected: [expectation('command.yml', 'template-injection', 'evaluated', 'bash -c')],
  },
  {
    name: 'looked-up-title',
    what: 'Shown in 2024: a title that gh looks up goes through an output into a script.',
    reference: CODEQL,
    expected: [expectation('notes.yml', 'template-injection', 'outsider', 'outputs.title')],
  },
  {
    name: 'slash-command',
    what: 'Shown in 2023: the arguments of a slash command are pasted into a script.',
    reference: CODEQL,
    expected: [expectation('dispatch.yml', 'template-injection', 'outsider', 'command-arguments')],
  },
  {
    name: 'whole-event-dump',
    what: 'Known since 2021: a dump of the event for debugging closes its own quotes.',
    reference: INJECTION,
    expected: [
      expectation('debug.yml', 'template-injection', 'outsider', 'toJSON(github)'),
      expectation('debug.yml', 'template-injection', 'outsider', 'event.comment'),
    ],
  },
  {
    name: 'powershell-title',
    what: 'Known since 2022: the same on Windows runners.',
    reference: INJECTION,
    expected: [
      expectation('title.yml', 'template-injection', 'outsider', 'Write-Host'),
      expectation('title.yml', 'untrusted-checkout-exec', 'runs', '|'),
    ],
  },
  {
    name: 'checkout-in-composite',
    what: 'Shown in 2024: a composite action of the repository checks out and installs what it is given.',
    reference: SECURITY_LAB,
    expected: [expectation('preview.yml', 'untrusted-checkout-exec', 'runs', './.github/actions/prepare')],
  },
  {
    name: 'later-job-workspace',
    what: 'Shown in 2025: a job with rights builds the workspace that a job without had uploaded.',
    reference: SECURITY_LAB,
    expected: [expectation('bench.yml', 'artifact-poisoning', 'executed', 'download-artifact')],
  },
  {
    name: 'python-subprocess',
    missed: 'programs that a Python script starts are not read',
    what: 'Known since 2022: a script in Python installs the pull request’s packages.',
    reference: SECURITY_LAB,
    expected: [expectation('build.yml', 'untrusted-checkout-exec', 'runs', 'subprocess')],
  },
  {
    name: 'review-on-own-branch',
    missed: 'a run of pull_request_review counts as a fork’s, though a review of an own branch has the base’s rights',
    what: 'Known since 2023: anybody may review a pull request between branches of the repository.',
    reference: CODEQL,
    expected: [expectation('review.yml', 'template-injection', 'outsider', 'review.body')],
  },
];

function scan(folder: string): Finding[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
  const result = scanRepository(createRepository(files));
  expect(result.diagnostics).toEqual([]);
  return [...result.findings];
}

function pathOf({ file }: Expected): string {
  return file.startsWith('.github/') ? file : `.github/workflows/${file}`;
}

describe.each(INCIDENTS.map((incident) => [incident.name, incident] as const))('%s', (name, incident) => {
  const folder = join(ROOT, name);

  // A miss that is known fails here, and the test says so as soon as it is found.
  const found = incident.missed === undefined ? it : it.fails;

  found(incident.missed === undefined ? 'is found' : `is missed: ${incident.missed}`, () => {
    const findings = scan(join(folder, 'vulnerable'));
    for (const expected of incident.expected) {
      const path = pathOf(expected);
      const lines = readFileSync(join(folder, 'vulnerable', path), 'utf8').split('\n');
      const found = findings
        .filter(
          ({ ruleId, message, file }) => ruleId === expected.rule && message === expected.message && file === path,
        )
        .map(({ severity, line }) => ({ severity, line: lines[(line ?? 0) - 1]?.trim() }));
      const severity = expected.medium === undefined ? 'HIGH' : 'MEDIUM';
      expect(found).toContainEqual({ severity, line: expect.stringContaining(expected.line) });
    }
  });

  it('is not found once it is corrected', () => {
    const rules = new Set(incident.expected.map(({ rule }) => rule));
    const findings = scan(join(folder, 'corrected'));
    expect(
      findings
        .filter(({ severity, ruleId }) => severity === 'HIGH' || (severity === 'MEDIUM' && rules.has(ruleId)))
        .map(short),
    ).toEqual([]);
  });
});

function short({ severity, ruleId, file, line }: Finding): string {
  return `${severity} ${ruleId} ${file}:${line}`;
}

it('has an entry for each fixture', () => {
  expect(INCIDENTS.map(({ name }) => name).sort()).toEqual(readdirSync(ROOT).sort());
  expect(INCIDENTS.every(({ name }) => existsSync(join(ROOT, name, 'corrected')))).toBe(true);
});
