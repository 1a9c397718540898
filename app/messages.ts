/** Names of enumerations and texts shared by pages. Sentences are never assembled from parts. */

export type Severity = 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO';

export const SEVERITIES: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW', 'INFO'];

export const SEVERITY_LABELS: Readonly<Record<Severity, { readonly label: string; readonly meaning: string }>> = {
  HIGH: { label: 'High', meaning: 'somebody outside can use it to run code or to take credentials' },
  MEDIUM: { label: 'Medium', meaning: 'one more mistake or one stolen account makes it usable' },
  LOW: { label: 'Low', meaning: 'makes another attack easier or harder to notice' },
  INFO: { label: 'Info', meaning: 'worth forFacts, no weakness by itself' },
};

export const COMBINATION_SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM'] as const;

export const COMBINATION_SEVERITY_LABELS = {
  CRITICAL: { label: 'Critical', meaning: 'somebody outside takes over what the run holds, or already does' },
  HIGH: { label: 'High', meaning: 'it takes more than an account, or opens less than everything' },
  MEDIUM: { label: 'Medium', meaning: 'it takes a right inside the repository, or there is little to gain' },
} as const satisfies Readonly<Record<string, Label>>;

export const MEETING_LABELS = {
  step: {
    label: 'In one step',
    meaning: 'Its links meet in one step: what one of them brings is what the others let run.',
  },
  job: {
    label: 'In one job',
    meaning:
      'Its links meet in one job. The steps of a job share a machine, so code in one reaches what another holds.',
  },
  file: { label: 'In one file', meaning: 'Its links meet in one file.' },
  repository: {
    label: 'In one repository',
    meaning: 'Its links meet in one repository, and may stand in different files and in its settings.',
  },
  artifact: {
    label: 'In two jobs, by an artifact',
    meaning: 'It takes two jobs: the one that holds something takes in an artifact that the other one uploads.',
  },
  cache: {
    label: 'In two jobs, by a cache',
    meaning: 'It takes two jobs: the one that holds something restores a cache that the other one saves.',
  },
  call: {
    label: 'In two jobs or files, by a call',
    meaning: 'It takes a call: one file passes on what it was given, and the file that it calls uses it.',
  },
  'two-jobs': {
    label: 'In two jobs of one repository',
    meaning: 'It takes two jobs of one repository: whoever controls the first reaches the second.',
  },
} as const satisfies Readonly<Record<string, Label>>;

export const FACT_LABELS = {
  'approval-policy-unknown': 'It is not known whether runs of outsiders wait for an approval',
  'artifact-upload': 'The job uploads an artifact',
  'cache-restore': 'The job restores a cache',
  'cache-save': 'The job saves a cache',
  'event-text-passed-as-input': 'Text that an outsider writes is passed on as an input',
  'id-token-write': 'The job may ask for an identity token',
  'job-token': 'The job has a token',
  'local-call': 'The job uses a workflow or an action of the same repository',
  'outsider-trigger': 'Anybody can cause the run, which has the rights of the base repository',
  'own-runner': 'The job runs on a machine that later jobs use too',
  'pin-comment-present': 'A comment beside the pinned commit names a version',
  'pr-trigger': 'People without write access can cause the run',
  'publish-step': 'The job publishes or deploys',
  'secret-use': 'The job reads a secret',
  'token-write': 'The job’s token may write',
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
  all: { label: 'All', meaning: 'Every rule, those about tidiness too.' },
  owasp: {
    label: 'OWASP',
    meaning: 'Every rule with a security claim, ordered by the OWASP Top 10 CI/CD Security Risks.',
  },
  slsa: { label: 'SLSA', meaning: 'What contradicts a requirement of SLSA 1.2, on the highest level of both tracks.' },
  'slsa-build-l1': {
    label: 'SLSA build level 1',
    meaning: 'Provenance exists: each release says how it was built.',
  },
  'slsa-build-l2': {
    label: 'SLSA build level 2',
    meaning: 'The provenance is signed, and the service that runs the build makes it.',
  },
  'slsa-build-l3': {
    label: 'SLSA build level 3',
    meaning: 'Builds cannot influence one another, and no step of a build can reach the key that signs.',
  },
  'slsa-source-l1': { label: 'SLSA source level 1', meaning: 'The source is under version control.' },
  'slsa-source-l2': {
    label: 'SLSA source level 2',
    meaning: 'History is kept: nobody can rewrite or remove branches and tags unseen.',
  },
  'slsa-source-l3': {
    label: 'SLSA source level 3',
    meaning: 'The organization’s own controls are enforced on every change.',
  },
  'slsa-source-l4': { label: 'SLSA source level 4', meaning: 'A second trusted person agrees to every change.' },
} as const satisfies Readonly<Record<string, Label>>;

export const SURFACE_LABELS = {
  workflow: { label: 'Files', meaning: 'Reads workflows, actions and the configuration of Dependabot.' },
  'repo-settings': { label: 'Repository settings', meaning: 'Reads settings of the repository at the code host.' },
} as const satisfies Readonly<Record<string, Label>>;

export const CONFIDENCE_LABELS = {
  high: { label: 'High', meaning: 'What it reports is nearly always so.' },
  medium: {
    label: 'Medium',
    meaning: 'What it reports is usually so; something outside the file may make it harmless.',
  },
  low: { label: 'Low', meaning: 'A hint to look: much of what it reports may be harmless.' },
} as const satisfies Readonly<Record<string, Label>>;

export const NEED_LABELS = {
  network: 'Asks the code host about the actions that are used. Without a connection it is named as not assessed.',
  commits: 'Compares pinned commits with the branches and tags of their repositories.',
  definitions: 'Reads the definitions of the actions that are used.',
  settings: 'Needs the repository’s settings. Where they cannot be read it is named as not assessed.',
  observations:
    'Needs what tags named before: the service remembers it, the command line with --observed. Without former observations it is named as not assessed.',
  scores: 'Needs scores of the actions that are used. Without them it is named as not assessed.',
  published:
    'Needs what npm and PyPI show of published versions: the command line asks with --online, the service for connected public repositories. Without it it is named as not assessed.',
} as const;

export const SITE = {
  name: 'Chainbreak',
  description: 'Finds the attack paths in CI workflows and the changes that break them.',
} as const;

const NUMBER = new Intl.NumberFormat('en');
const PLURAL = new Intl.PluralRules('en');

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** Picks the plural form; `#` is replaced by the number. */
export function plural(value: number, forms: { readonly one: string; readonly other: string }): string {
  return forms[PLURAL.select(value) === 'one' ? 'one' : 'other'].replace('#', formatNumber(value));
}
