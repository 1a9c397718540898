export interface DocumentedNeeds {
  readonly action: string;
  /** Documented grants of the newest release per major version, with their source: `v4.3.0 v5.0.0 | contents:read pull-requests:write | README.md:31`. */
  readonly releases: readonly string[];
  readonly token?: string;
}

/** Permissions from the examples in popular actions' documentation: likely but unproven, so safe fixes must use action-needs.ts instead. */
export const DOCUMENTED_NEEDS = [
  {
    action: 'actions/attest',
    releases: ['v2.4.0 v3 v4.2.2 | attestations:write contents:read id-token:write | README.md:237'],
    token: 'github-token',
  },
  {
    action: 'actions/attest-build-provenance',
    releases: ['v2.4.0 v3 | attestations:write contents:read id-token:write | README.md:142'],
    token: 'github-token',
  },
  {
    action: 'actions/dependency-review-action',
    releases: ['v2.5.1 v3.1.5 v4.9.0 | contents:read | README.md:59'],
    token: 'repo-token',
  },
  {
    action: 'actions/deploy-pages',
    releases: ['v3.0.1 v4.0.5 v5 | id-token:write pages:write | README.md:17'],
    token: 'token',
  },
  {
    action: 'actions/first-interaction',
    releases: ['v2 v3.1 | issues:write pull-requests:write | README.md:28'],
    token: 'repo_token',
  },
  {
    action: 'actions/labeler',
    releases: ['v5 v6.2.0 v7 | contents:read pull-requests:write | README.md:254'],
    token: 'repo-token',
  },
  { action: 'amannn/action-semantic-pull-request', releases: ['v5.5.3 v6.1.1 | pull-requests:read | README.md:25'] },
  { action: 'anchore/scan-action', releases: ['v6.5.1 v7.4.0 | security-events:write | README.md:177'] },
  {
    action: 'aquasecurity/trivy-action',
    releases: ['v0.36.0 | contents:read | README.md:235'],
    token: 'token-setup-trivy',
  },
  {
    action: 'aws-actions/configure-aws-credentials',
    releases: ['v4.3.1 v5.1.1 v6.2.3 | id-token:write | README.md:55'],
  },
  { action: 'azure/login', releases: ['v1.6.1 v2.3.1 v3.0.1 | contents:read id-token:write | README.md:182'] },
  {
    action: 'bufbuild/buf-action',
    releases: ['v0.3 v1.5 | contents:read pull-requests:write | README.md:21'],
    token: 'github_token',
  },
  { action: 'codspeedhq/action', releases: ['v4.19.1 v5.0.3 | contents:read id-token:write | README.md:104'] },
  {
    action: 'contributor-assistant/github-action',
    releases: ['v2.6.1 | actions:write contents:write pull-requests:write statuses:write | README.md:20'],
  },
  {
    action: 'dependabot/fetch-metadata',
    releases: ['v1.7.0 v2.5.0 v3.1.0 | pull-requests:read | README.md:19'],
    token: 'github-token',
  },
  {
    action: 'dessant/lock-threads',
    releases: [
      'v4.0.1 | issues:write pull-requests:write | README.md:176',
      'v5.0.1 v6.0.2 | discussions:write issues:write pull-requests:write | README.md:236',
    ],
    token: 'github-token',
  },
  {
    action: 'docker/scout-action',
    releases: ['v0.23.4 v1.22.0 | contents:read packages:write pull-requests:write | README.md:226'],
    token: 'github-token',
  },
  { action: 'dorny/paths-filter', releases: ['v2 v3.0.3 v4.0.2 | pull-requests:read | README.md:240'], token: 'token' },
  {
    action: 'dorny/test-reporter',
    releases: ['v1 v2.7.0 v3 | actions:read checks:write contents:read | README.md:37'],
    token: 'token',
  },
  {
    action: 'github/branch-deploy',
    releases: [
      'v10.4.3 v11 v12 | checks:read contents:write deployments:write pull-requests:write statuses:read | README.md:80',
    ],
    token: 'github_token',
  },
  {
    action: 'golangci/golangci-lint-action',
    releases: ['v7.0.1 v8 v9.3.0 | contents:read | README.md:33'],
    token: 'github-token',
  },
  {
    action: 'google-github-actions/auth',
    releases: ['v1.3.0 v2.1.13 v3 | contents:read id-token:write | README.md:49'],
  },
  {
    action: 'google-github-actions/deploy-cloudrun',
    releases: ['v1.0.2 v2.7.6 v3.0.1 | contents:read id-token:write | README.md:27'],
  },
  {
    action: 'google-github-actions/get-gke-credentials',
    releases: ['v1.0.2 v2.3.5 v3 | contents:read id-token:write | README.md:36'],
  },
  {
    action: 'google-github-actions/setup-gcloud',
    releases: ['v1.1.1 v2.2.1 v3.0.1 | contents:read id-token:write | README.md:33'],
  },
  {
    action: 'googleapis/release-please-action',
    releases: ['v4.1.4 | contents:write pull-requests:write | README.md:11'],
    token: 'token',
  },
  { action: 'goreleaser/goreleaser-action', releases: ['v5.1.0 v6.4.0 v7.2.3 | contents:write | README.md:42'] },
  { action: 'gradle/actions', releases: ['v4.4.4 v5.0.2 v6.3.0 | contents:write | README.md:58'] },
  {
    action: 'gradle/actions/dependency-submission',
    releases: ['v4.4.4 v5.0.2 v6.3.0 | contents:write | README.md:10'],
    token: 'github-token',
  },
  {
    action: 'gradle/gradle-build-action',
    releases: ['v2.12.0 | contents:write | README.md:551'],
    token: 'github-token',
  },
  {
    action: 'hmarr/auto-approve-action',
    releases: ['v2.4.0 v3.2.1 v4.0.0 | pull-requests:write | README.md:15'],
    token: 'github-token',
  },
  {
    action: 'jamesives/github-pages-deploy-action',
    releases: ['v4.6.8 | contents:write | README.md:59'],
    token: 'token',
  },
  {
    action: 'korthout/backport-action',
    releases: ['v2.5 v3.4.1 v4.6 | contents:write pull-requests:write | README.md:36'],
    token: 'github_token',
  },
  { action: 'lycheeverse/lychee-action', releases: ['v2.8.0 | issues:write | README.md:18'], token: 'token' },
  { action: 'ncipollo/release-action', releases: ['v1.21.0 | contents:write | README.md:61'], token: 'token' },
  { action: 'openai/codex-action', releases: ['v1.8 | contents:read | README.md:20'] },
  {
    action: 'ossf/scorecard-action',
    releases: [
      'v0.0.2 | security-events:write | README.md:43',
      'v1.1.2 | actions:read contents:read id-token:write security-events:write | README.md:143',
    ],
    token: 'repo_token',
  },
  { action: 'peaceiris/actions-gh-pages', releases: ['v3.9.3 v4.1.0 | contents:write | README.md:143'] },
  { action: 'peter-evans/repository-dispatch', releases: ['v4.0.1 | contents:write | README.md:13'], token: 'token' },
  {
    action: 'release-drafter/release-drafter',
    releases: [
      'v5.25.0 v6.4.0 | contents:write pull-requests:write | README.md:13',
      'v7.7.0 | pull-requests:read | README.md:21',
    ],
    token: 'token',
  },
  {
    action: 'sigstore/cosign-installer',
    releases: ['v2.8.1 v3 v4.1.2 | contents:read id-token:write packages:write | README.md:91'],
  },
  {
    action: 'stefanzweifel/git-auto-commit-action',
    releases: ['v5.2.0 v6.0.1 v7.2.0 | contents:write | README.md:32'],
  },
  {
    action: 'styfle/cancel-workflow-action',
    releases: ['0.13.1 | actions:write | README.md:192'],
    token: 'access_token',
  },
  {
    action: 'super-linter/super-linter',
    releases: [
      'v6.9.0 | contents:read packages:read statuses:write | README.md:117',
      'v7.4.0 v8.7.0 | contents:read statuses:write | README.md:148',
    ],
  },
  {
    action: 'tj-actions/changed-files',
    releases: ['v45 v46.0.5 v47 | pull-requests:read | README.md:215'],
    token: 'token',
  },
  {
    action: 'wagoid/commitlint-github-action',
    releases: ['v5.5.1 v6.2.1 | contents:read pull-requests:read | README.md:9'],
    token: 'token',
  },
] as const satisfies readonly DocumentedNeeds[];
