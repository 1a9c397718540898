export type Severity = 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO';

export const SEVERITIES: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW', 'INFO'];

export const SEVERITY_LABELS: Readonly<Record<Severity, { readonly label: string; readonly meaning: string }>> = {
  HIGH: { label: 'High', meaning: 'an outsider can use it to run code or steal credentials' },
  MEDIUM: { label: 'Medium', meaning: 'exploitable with one more mistake or one stolen account' },
  LOW: { label: 'Low', meaning: 'makes another attack easier, or harder to notice' },
  INFO: { label: 'Info', meaning: 'worth knowing, not a weakness by itself' },
};

export const COMBINATION_SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM'] as const;

export const COMBINATION_SEVERITY_LABELS = {
  CRITICAL: { label: 'Critical', meaning: 'gives an outsider everything the run can access' },
  HIGH: { label: 'High', meaning: 'takes more than a GitHub account, or gives access to less than everything' },
  MEDIUM: { label: 'Medium', meaning: 'takes access to the repository, or there is little to gain' },
} as const satisfies Readonly<Record<string, Label>>;

export const MEETING_LABELS = {
  step: {
    label: 'One step',
    meaning: 'All conditions apply to one step: it runs what one of them brings in.',
  },
  job: {
    label: 'One job',
    meaning:
      'All conditions apply to one job. Its steps share a machine, so code in one step reaches what another step holds.',
  },
  file: { label: 'One file', meaning: 'All conditions apply to one file.' },
  repository: {
    label: 'One repository',
    meaning: 'All conditions apply to one repository: different files and its settings.',
  },
  artifact: {
    label: 'Two jobs, through an artifact',
    meaning: 'It takes two jobs: the one with the credentials downloads an artifact that the other uploads.',
  },
  cache: {
    label: 'Two jobs, through a cache',
    meaning: 'It takes two jobs: the one with the credentials restores a cache that the other saves.',
  },
  call: {
    label: 'Two jobs or files, through a call',
    meaning: 'It takes a call: one file passes its input on, and the file it calls uses it.',
  },
  'two-jobs': {
    label: 'Two jobs of one repository',
    meaning: 'It takes two jobs of one repository: controlling the first gives access to the second.',
  },
} as const satisfies Readonly<Record<string, Label>>;

export const FACT_LABELS = {
  'approval-policy-unknown': 'Unknown whether runs by outsiders need approval',
  'artifact-upload': 'The job uploads an artifact',
  'barred-start': 'The job cannot start until its file changes',
  'pull-request-artifact': 'The file reads artifacts of pull requests’ runs',
  'cache-restore': 'The job restores a cache',
  'cache-save': 'The job saves a cache',
  'event-text-passed-as-input': 'Untrusted text is passed on as an input',
  'id-token-write': 'The job can request an OIDC token',
  'job-token': 'The job has a token',
  'local-call': 'The job uses a workflow or action of the same repository',
  'outsider-trigger': 'Anyone can start the run, which has the privileges of the base repository',
  'own-runner': 'The job runs on a machine that later jobs reuse',
  'personal-token': 'A token of a person, bot or app is in the action’s reach',
  'repository-token': 'The job gives git a stored token for the repository',
  'pin-comment-present': 'A comment next to the pinned commit names a version',
  'pr-trigger': 'People without write access can start the run',
  'publish-step': 'The job publishes or deploys',
  'secret-use': 'The job reads a secret',
  'token-write': 'The job token has write permissions',
} as const;

/** https://owasp.org/www-project-top-10-ci-cd-security-risks/ */
export const CATEGORY_LABELS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Insufficient flow control mechanisms',
  'CICD-SEC-2': 'Inadequate identity and access management',
  'CICD-SEC-3': 'Dependency chain abuse',
  'CICD-SEC-4': 'Poisoned pipeline execution',
  'CICD-SEC-5': 'Insufficient pipeline-based access controls',
  'CICD-SEC-6': 'Insufficient credential hygiene',
  'CICD-SEC-7': 'Insecure system configuration',
  'CICD-SEC-8': 'Ungoverned usage of third-party services',
  'CICD-SEC-9': 'Improper artifact integrity validation',
  'CICD-SEC-10': 'Insufficient logging and visibility',
};

export const CATEGORY_QUESTIONS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Can changes be merged or approved without an authorised reviewer?',
  'CICD-SEC-2': 'Who has which access, and for how long?',
  'CICD-SEC-3': 'Can a third party change the actions, images and packages that run?',
  'CICD-SEC-4': 'Can untrusted text or code run next to credentials?',
  'CICD-SEC-5': 'Are job tokens over-privileged?',
  'CICD-SEC-6': 'Do secrets leak into steps, logs, disks or other systems?',
  'CICD-SEC-7': 'Can a job escape its container or reach your own machines?',
  'CICD-SEC-8': 'Which third parties can act on the repository?',
  'CICD-SEC-9': 'Can a release be tampered with between build and publication?',
  'CICD-SEC-10': 'Could you reconstruct what ran?',
};

const OWASP = 'https://owasp.org/www-project-top-10-ci-cd-security-risks/';

export const CATEGORY_PAGES: Readonly<Record<string, string>> = {
  'CICD-SEC-1': `${OWASP}CICD-SEC-01-Insufficient-Flow-Control-Mechanisms`,
  'CICD-SEC-2': `${OWASP}CICD-SEC-02-Inadequate-Identity-And-Access-Management`,
  'CICD-SEC-3': `${OWASP}CICD-SEC-03-Dependency-Chain-Abuse`,
  'CICD-SEC-4': `${OWASP}CICD-SEC-04-Poisoned-Pipeline-Execution`,
  'CICD-SEC-5': `${OWASP}CICD-SEC-05-Insufficient-PBAC`,
  'CICD-SEC-6': `${OWASP}CICD-SEC-06-Insufficient-Credential-Hygiene`,
  'CICD-SEC-7': `${OWASP}CICD-SEC-07-Insecure-System-Configuration`,
  'CICD-SEC-8': `${OWASP}CICD-SEC-08-Ungoverned-Usage-of-3rd-Party-Services`,
  'CICD-SEC-9': `${OWASP}CICD-SEC-09-Improper-Artifact-Integrity-Validation`,
  'CICD-SEC-10': `${OWASP}CICD-SEC-10-Insufficient-Logging-And-Visibility`,
};

interface Label {
  readonly label: string;
  readonly meaning: string;
}

/** https://slsa.dev/spec/v1.2/ */
export const RULESET_LABELS = {
  all: { label: 'All', meaning: 'Every rule, including maintainability.' },
  owasp: {
    label: 'OWASP',
    meaning: 'Every rule with a security claim, ordered by the OWASP Top 10 CI/CD Security Risks.',
  },
  slsa: {
    label: 'SLSA',
    meaning: 'Rules that show a requirement of SLSA 1.2 is not met, at the highest level of both tracks.',
  },
  'slsa-build-l1': {
    label: 'SLSA build level 1',
    meaning: 'Provenance exists: each release states how it was built.',
  },
  'slsa-build-l2': {
    label: 'SLSA build level 2',
    meaning: 'The provenance is signed and generated by the build service.',
  },
  'slsa-build-l3': {
    label: 'SLSA build level 3',
    meaning: 'Builds cannot influence each other, and no build step can reach the signing key.',
  },
  'slsa-source-l1': { label: 'SLSA source level 1', meaning: 'The source is under version control.' },
  'slsa-source-l2': {
    label: 'SLSA source level 2',
    meaning: 'History is immutable: branches and tags cannot be rewritten or removed unnoticed.',
  },
  'slsa-source-l3': {
    label: 'SLSA source level 3',
    meaning: 'The organization’s controls are enforced on every change.',
  },
  'slsa-source-l4': { label: 'SLSA source level 4', meaning: 'A second trusted person approves every change.' },
} as const satisfies Readonly<Record<string, Label>>;

export const SURFACE_LABELS = {
  workflow: { label: 'Files', meaning: 'Reads workflows, actions and the Dependabot configuration.' },
  'repo-settings': { label: 'Repository settings', meaning: 'Reads the repository’s settings on GitHub.' },
} as const satisfies Readonly<Record<string, Label>>;

export const CONFIDENCE_LABELS = {
  high: { label: 'High', meaning: 'False positives are rare.' },
  medium: {
    label: 'Medium',
    meaning: 'Usually right; something outside the file can make a finding harmless.',
  },
  low: { label: 'Low', meaning: 'Worth a look: many findings can be harmless.' },
} as const satisfies Readonly<Record<string, Label>>;

export const NEED_LABELS = {
  network: 'Looks up the actions used on GitHub; not assessed offline.',
  commits: 'Compares pinned commits with the branches and tags of their repositories.',
  definitions: 'Reads the definitions of the actions used.',
  settings: 'Needs the repository’s settings; not assessed where they cannot be read.',
  observations:
    'Needs earlier targets of tags, which the service records and the command line records with --observed; not assessed without them.',
  scores: 'Needs scores of the actions used; not assessed without them.',
  published:
    'Needs published versions from npm and PyPI, which the command line reads with --online and the service for connected public repositories; not assessed without them.',
} as const;

export const BAND_LABELS = {
  A: { label: 'Few signals of risk', meaning: 'Few reasons for concern in this version.' },
  B: { label: 'Minor signals of risk', meaning: 'Read them once before you rely on it.' },
  C: { label: 'Some risk', meaning: 'Check what lowers the score before you use it.' },
  D: { label: 'High risk', meaning: 'Use it only with a reason, pinned, and in a job without secrets.' },
  F: { label: 'Very high risk', meaning: 'Read the code of this version before you run it.' },
} as const satisfies Readonly<Record<string, Label>>;

export const FAMILY_LABELS = {
  static: {
    label: 'Code',
    meaning: 'What the files of the action do at this commit, and how its publisher builds it.',
  },
  metadata: { label: 'Repository', meaning: 'Who maintains the action, and whether anyone still does.' },
  tag: { label: 'Tags and commit', meaning: 'Whether its tags can be trusted to keep naming the same code.' },
  advisory: { label: 'Advisories', meaning: 'Published vulnerabilities and compromises that affect this commit.' },
} as const satisfies Readonly<Record<string, Label>>;

export const UNKNOWN_REASON_LABELS = {
  forbidden: 'The code host refused to answer.',
  rate_limited: 'The code host’s rate limit was reached.',
  fetch_failed: 'The code host did not answer in time.',
  no_history: 'It takes observations over time, and this action has not been watched for long enough.',
  not_supported: 'This service cannot check it for this action.',
  too_large: 'There is more to read than one evaluation may.',
} as const;

export function nameOfHost(host: string): string {
  return host === 'github.com' ? 'GitHub' : host;
}
