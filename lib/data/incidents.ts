/** An attack on CI workflows that happened or was shown to work, in our own words. */
export interface Incident {
  readonly id: string;
  readonly what: string;
  readonly reference: string;
  /** The rules that its workflow breaks. */
  readonly rules: readonly string[];
  /** Why they do not report it yet. */
  readonly missed?: string;
}

const SECURITY_LAB = 'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/';
const INJECTION = 'https://securitylab.github.com/resources/github-actions-untrusted-input/';
const CODEQL = 'https://codeql.github.com/codeql-query-help/actions/';

/** A vulnerable and a corrected workflow for each are in `tests/fixtures/incidents`, rebuilt small. */
export const incidents: readonly Incident[] = [
  {
    id: 'spotbugs-2024',
    what: '2024-25: a pull request built by a pull_request_target workflow leaked a personal token, with which reviewdog and tj-actions were reached.',
    reference: 'https://unit42.paloaltonetworks.com/github-actions-supply-chain-attack/',
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'tj-actions-2025',
    what: '2025: the tags of a popular action were moved to a commit that printed secrets of the runner.',
    reference: 'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    rules: ['compromised-action-ref'],
  },
  {
    id: 'changed-file-names-2023',
    what: '2023: names of changed files, listed by an action, ran as shell syntax.',
    reference: 'https://github.com/advisories/GHSA-mcph-m25j-8j63',
    rules: ['template-injection'],
  },
  {
    id: 'ultralytics-2024',
    what: '2024: a branch name ran in a composite action, and a poisoned cache reached the release.',
    reference: 'https://blog.pypi.org/posts/2024-12-11-ultralytics-attack-analysis/',
    rules: ['reusable-workflow-taint'],
  },
  {
    id: 'nx-s1ngularity-2025',
    what: '2025: the title of a pull request ran in a pull_request_target workflow and led to the npm token.',
    reference: 'https://github.com/advisories/GHSA-cxm3-wv7p-598c',
    rules: ['template-injection'],
  },
  {
    id: 'grafana-2025',
    what: '2025: a branch name ran in a job that held the key of a GitHub App.',
    reference:
      'https://grafana.com/blog/2025/04/27/grafana-security-update-no-customer-impact-from-github-workflow-vulnerability/',
    rules: ['template-injection'],
  },
  {
    id: 'rspack-2024',
    what: '2024: a comment made a workflow build the pull request with an npm token at hand.',
    reference: 'https://github.com/web-infra-dev/rspack/issues/8767',
    rules: ['untrusted-checkout-exec', 'missing-trigger-authorization'],
  },
  {
    id: 'trivy-2026',
    what: '2026: a local action was run from the test merge of a pull request in a pull_request_target workflow.',
    reference: 'https://www.stepsecurity.io/blog/hackerbot-claw-github-actions-exploitation',
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'tanstack-2026',
    what: '2026: a benchmark of pull requests filled the cache that the signed release restored.',
    reference: 'https://tanstack.com/blog/incident-followup',
    rules: ['cache-poisoning'],
  },
  {
    id: 'cline-2026',
    what: '2026: an agent that triaged issues did what a title said, up to the release.',
    reference: 'https://adnanthekhan.com/posts/clinejection/',
    rules: ['ai-prompt-injection', 'ai-agent-unrestricted-trigger'],
  },
  {
    id: 'promptpwnd-gemini-2025',
    what: '2025: the text of an issue reached an agent through variables that its prompt names.',
    reference: 'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
    rules: ['ai-prompt-injection'],
  },
  {
    id: 'promptpwnd-codex-2025',
    what: '2025: anybody’s comment became the instructions of an agent without a sandbox.',
    reference: 'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
    rules: ['ai-prompt-injection', 'ai-agent-unrestricted-trigger'],
  },
  {
    id: 'elementary-data-2026',
    what: '2026: the text of a comment ran in a workflow that only printed it.',
    reference: 'https://github.com/elementary-data/elementary/pull/2206',
    rules: ['template-injection'],
  },
  {
    id: 'kong-2024',
    what: '2024: code of a pull request ran with a bot’s token, and a miner was published as an image.',
    reference: 'https://github.com/Kong/kubernetes-ingress-controller/issues/6907',
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'pytorch-2024',
    what: '2024: pull requests of former contributors ran on machines of the project that lived on.',
    reference:
      'https://johnstawinski.com/2024/01/11/playing-with-fire-how-we-executed-a-critical-supply-chain-attack-on-pytorch/',
    rules: ['self-hosted-runner-pr'],
  },
  {
    id: 'ghostaction-2025',
    what: '2025: planted workflows sent the secrets of 817 repositories to one host.',
    reference: 'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
    rules: ['secret-exfiltration'],
  },
  {
    id: 'shai-hulud-secrets-2025',
    what: '2025: a worm planted workflows that sent the whole secrets object away.',
    reference:
      'https://www.cisa.gov/news-events/alerts/2025/09/23/widespread-supply-chain-compromise-impacting-npm-ecosystem',
    rules: ['secret-exfiltration', 'overprovisioned-secrets', 'malicious-workflow-indicator'],
  },
  {
    id: 'shai-hulud-runner-2025',
    what: '2025: the worm’s second wave left a workflow by which any discussion ran commands on an own runner.',
    reference: 'https://www.wiz.io/blog/shai-hulud-2-0-ongoing-supply-chain-attack',
    rules: ['template-injection', 'malicious-workflow-indicator'],
  },
  {
    id: 'codecov-2021',
    what: '2021: a script that was fetched and run in thousands of pipelines had been changed.',
    reference: 'https://about.codecov.io/security-update/',
    rules: ['unverified-script-exec'],
  },
  {
    id: 'artipacked-2024',
    what: '2024: uploaded workspaces held the token of the checkout.',
    reference: 'https://unit42.paloaltonetworks.com/github-repo-artifacts-leak-tokens/',
    rules: ['artipacked'],
  },
  {
    id: 'dependabot-deputy-2022',
    what: '2022: whoever makes Dependabot act last on a fork’s pull request passes a test of github.actor.',
    reference: 'https://www.synacktiv.com/publications/github-actions-exploitation-dependabot',
    rules: ['bot-conditions', 'confused-deputy-auto-merge'],
  },
  {
    id: 'artifact-script-2022',
    what: '2022: a privileged workflow ran a script out of the artifact of a pull request’s run.',
    reference: 'https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust',
    rules: ['artifact-poisoning'],
  },
  {
    id: 'artifact-over-checkout-2023',
    what: '2023: an artifact was unpacked over the checkout whose scripts ran next.',
    reference: 'https://github.com/advisories/GHSA-5xr6-xhww-33m4',
    rules: ['artifact-poisoning'],
  },
  {
    id: 'artifact-environment-2022',
    what: '2022: a file of an artifact was appended to GITHUB_ENV, where LD_PRELOAD does the rest.',
    reference: 'https://www.legitsecurity.com/blog/github-privilege-escalation-vulnerability',
    rules: ['artifact-poisoning', 'github-env'],
  },
  {
    id: 'label-gate-race',
    what: 'Known since 2021: the code that a label approves is exchanged before it is checked out.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-toctou'],
  },
  {
    id: 'deploy-comment-race',
    what: 'Shown in 2024: a push between a member’s /deploy and the checkout is what is deployed.',
    reference: 'https://github.com/AdnaneKhan/ActionsTOCTOU',
    rules: ['untrusted-checkout-toctou'],
  },
  {
    id: 'issue-body-2022',
    what: '2022: bodies of issues ran in the triage workflows of several known projects.',
    reference: INJECTION,
    rules: ['template-injection'],
  },
  {
    id: 'issues-helper-2026',
    what: '2026: every tag of an action that answers issues was moved to malicious commits.',
    reference:
      'https://www.stepsecurity.io/blog/actions-cool-issues-helper-github-action-compromised-all-tags-point-to-imposter-commit-that-exfiltrates-ci-cd-credentials',
    rules: ['compromised-action-ref'],
  },
  {
    id: 'target-install-2023',
    what: '2023-25: many projects installed a pull request’s requirements under pull_request_target.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'head-in-subfolder',
    what: 'Known since 2021: a fork’s code in a folder of its own, and a build inside that folder.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'gh-pr-checkout',
    what: 'Known since 2023: a formatting command checks the pull request out with gh.',
    reference: CODEQL,
    rules: ['untrusted-checkout-exec', 'missing-trigger-authorization'],
  },
  {
    id: 'install-after-run',
    what: 'Known since 2021: workflow_run builds the head of the run that it follows.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'reusable-input',
    what: 'Known since 2022: the title of an issue travels through an input of a called workflow.',
    reference: INJECTION,
    rules: ['reusable-workflow-taint'],
  },
  {
    id: 'composite-input',
    what: 'Known since 2022: a body travels through an input of a composite action.',
    reference: INJECTION,
    rules: ['reusable-workflow-taint'],
  },
  {
    id: 'script-literal',
    what: 'Known since 2020: a title inside a string of github-script.',
    reference: INJECTION,
    rules: ['template-injection'],
  },
  {
    id: 'script-to-environment',
    what: 'Shown in 2023: github-script appends a comment to GITHUB_ENV.',
    reference: CODEQL,
    rules: ['github-env'],
    missed: 'what scripts of github-script write to files is not followed',
  },
  {
    id: 'script-result',
    what: 'Shown in 2023: what github-script returns of a comment is pasted into a command.',
    reference: CODEQL,
    rules: ['template-injection'],
  },
  {
    id: 'matrix-from-artifact',
    what: 'Shown in 2024: the jobs of a matrix are named by a file of a pull request’s run.',
    reference: CODEQL,
    rules: ['artifact-poisoning'],
  },
  {
    id: 'environment-file-from-fork',
    what: 'Known since 2022: a file of the fork goes into GITHUB_ENV.',
    reference: CODEQL,
    rules: ['github-env'],
  },
  {
    id: 'inherited-secrets',
    what: '2025: every secret went to a called workflow of another account, at a branch.',
    reference: 'https://docs.github.com/actions/reference/security/secure-use',
    rules: ['secrets-inherit'],
  },
  {
    id: 'registry-password',
    what: 'Known since 2019: a registry password in the workflow file.',
    reference: 'https://docs.github.com/actions/reference/security/secure-use',
    rules: ['hardcoded-container-credentials'],
  },
  {
    id: 'signed-fork-artifact',
    what: 'Shown in 2024: what a pull request built was signed and published.',
    reference: 'https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust',
    rules: ['artifact-poisoning'],
  },
  {
    id: 'evaluated-variable',
    what: 'Shown in 2024: a comment passed by a variable, as is advised, and then given to eval.',
    reference: CODEQL,
    rules: ['template-injection'],
  },
  {
    id: 'evaluated-shell',
    what: 'Shown in 2024: a title inside the double quotes of bash -c.',
    reference: CODEQL,
    rules: ['template-injection'],
  },
  {
    id: 'looked-up-title',
    what: 'Shown in 2024: a title that gh looks up goes through an output into a script.',
    reference: CODEQL,
    rules: ['template-injection'],
  },
  {
    id: 'slash-command',
    what: 'Shown in 2023: the arguments of a slash command are pasted into a script.',
    reference: CODEQL,
    rules: ['template-injection'],
  },
  {
    id: 'whole-event-dump',
    what: 'Known since 2021: a dump of the event for debugging closes its own quotes.',
    reference: INJECTION,
    rules: ['template-injection'],
  },
  {
    id: 'powershell-title',
    what: 'Known since 2022: the same on Windows runners.',
    reference: INJECTION,
    rules: ['template-injection', 'untrusted-checkout-exec'],
  },
  {
    id: 'checkout-in-composite',
    what: 'Shown in 2024: a composite action of the repository checks out and installs what it is given.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-exec'],
  },
  {
    id: 'later-job-workspace',
    what: 'Shown in 2025: a job with rights builds the workspace that a job without had uploaded.',
    reference: SECURITY_LAB,
    rules: ['artifact-poisoning'],
  },
  {
    id: 'python-subprocess',
    what: 'Known since 2022: a script in Python installs the pull request’s packages.',
    reference: SECURITY_LAB,
    rules: ['untrusted-checkout-exec'],
    missed: 'programs that a Python script starts are not read',
  },
  {
    id: 'review-on-own-branch',
    what: 'Known since 2023: anybody may review a pull request between branches of the repository.',
    reference: CODEQL,
    rules: ['template-injection'],
    missed: 'a run of pull_request_review counts as a fork’s, though a review of an own branch has the base’s rights',
  },
];
