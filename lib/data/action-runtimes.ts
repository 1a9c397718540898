export interface ActionRuntimes {
  /** `owner/name`, lower case. */
  readonly action: string;
  /** `runs.using` of the newest release of each major version: `node20`, `composite`, `docker`. */
  readonly runtimes: Readonly<Record<number, string>>;
}

/** With what popular actions run, by major version. An action that is not listed is unknown. */
export const ACTION_RUNTIMES = [
  {
    action: '1password/install-cli-action',
    runtimes: { '1': 'composite', '2': 'node20', '3': 'node24', '4': 'node24' },
  },
  { action: '1password/load-secrets-action', runtimes: { '1': 'node16', '2': 'node20', '3': 'node20', '4': 'node24' } },
  { action: '8398a7/action-slack', runtimes: { '1': 'node12', '2': 'node12', '3': 'node20' } },
  {
    action: 'actions/cache',
    runtimes: { '0': 'node12', '1': 'node12', '2': 'node12', '3': 'node16', '4': 'node20', '5': 'node24' },
  },
  {
    action: 'actions/checkout',
    runtimes: { '2': 'node12', '3': 'node16', '4': 'node20', '5': 'node24', '6': 'node24', '7': 'node24' },
  },
  {
    action: 'actions/download-artifact',
    runtimes: {
      '2': 'node12',
      '3': 'node24',
      '4': 'node20',
      '5': 'node20',
      '6': 'node20',
      '7': 'node24',
      '8': 'node24',
    },
  },
  {
    action: 'actions/github-script',
    runtimes: {
      '0': 'node12',
      '1': 'node12',
      '2': 'node12',
      '3': 'node12',
      '4': 'node12',
      '5': 'node12',
      '6': 'node16',
      '7': 'node20',
      '8': 'node24',
    },
  },
  {
    action: 'actions/setup-go',
    runtimes: {
      '1': 'node12',
      '2': 'node12',
      '3': 'node16',
      '4': 'node16',
      '5': 'node20',
      '6': 'node24',
      '7': 'node24',
    },
  },
  {
    action: 'actions/setup-java',
    runtimes: { '1': 'node12', '2': 'node12', '3': 'node16', '4': 'node20', '5': 'node24' },
  },
  {
    action: 'actions/setup-node',
    runtimes: {
      '1': 'node12',
      '2': 'node12',
      '3': 'node16',
      '4': 'node20',
      '5': 'node24',
      '6': 'node24',
      '7': 'node24',
    },
  },
  {
    action: 'actions/setup-python',
    runtimes: {
      '1': 'node12',
      '2': 'node12',
      '3': 'node16',
      '4': 'node16',
      '5': 'node20',
      '6': 'node24',
      '7': 'node24',
    },
  },
  {
    action: 'actions/upload-artifact',
    runtimes: { '2': 'node12', '3': 'node16', '4': 'node20', '5': 'node20', '6': 'node24', '7': 'node24' },
  },
  { action: 'anthropics/claude-code-action', runtimes: { '0': 'composite', '1': 'composite' } },
  { action: 'aquasecurity/setup-trivy', runtimes: { '0': 'composite' } },
  { action: 'aws-actions/setup-sam', runtimes: { '0': 'node12', '1': 'node12', '2': 'node20', '3': 'node24' } },
  {
    action: 'azure/setup-helm',
    runtimes: { '1': 'node12', '2': 'node16', '3': 'node16', '4': 'node20', '5': 'node24' },
  },
  {
    action: 'azure/setup-kubectl',
    runtimes: { '1': 'node12', '2': 'node12', '3': 'node16', '4': 'node20', '5': 'node24' },
  },
  {
    action: 'codecov/codecov-action',
    runtimes: { '0': 'docker', '1': 'node12', '2': 'node12', '3': 'node16', '4': 'node20', '5': 'composite' },
  },
  { action: 'digitalocean/action-doctl', runtimes: { '1': 'docker', '2': 'node20' } },
  {
    action: 'docker/build-push-action',
    runtimes: {
      '1': 'docker',
      '2': 'node12',
      '3': 'node16',
      '4': 'node16',
      '5': 'node20',
      '6': 'node20',
      '7': 'node24',
    },
  },
  { action: 'docker/login-action', runtimes: { '1': 'node12', '2': 'node16', '3': 'node20', '4': 'node24' } },
  { action: 'docker/setup-buildx-action', runtimes: { '1': 'node12', '2': 'node16', '3': 'node20', '4': 'node24' } },
  { action: 'google-github-actions/run-gemini-cli', runtimes: { '0': 'composite' } },
  {
    action: 'google-github-actions/setup-gcloud',
    runtimes: { '0': 'node16', '1': 'node16', '2': 'node20', '3': 'node24' },
  },
  {
    action: 'goreleaser/goreleaser-action',
    runtimes: {
      '0': 'node12',
      '1': 'node12',
      '2': 'node12',
      '3': 'node16',
      '4': 'node16',
      '5': 'node20',
      '6': 'node20',
      '7': 'node24',
    },
  },
  { action: 'hashicorp/setup-terraform', runtimes: { '1': 'node12', '2': 'node16', '3': 'node20', '4': 'node24' } },
  { action: 'imjasonh/setup-crane', runtimes: { '0': 'composite' } },
  { action: 'ko-build/setup-ko', runtimes: { '0': 'composite' } },
  { action: 'openai/codex-action', runtimes: { '1': 'composite' } },
  { action: 'opentofu/setup-opentofu', runtimes: { '1': 'node20', '2': 'node24' } },
  {
    action: 'peter-evans/create-pull-request',
    runtimes: {
      '1': 'node12',
      '2': 'node12',
      '3': 'node12',
      '4': 'node16',
      '5': 'node16',
      '6': 'node20',
      '7': 'node20',
      '8': 'node24',
    },
  },
  {
    action: 'pulumi/actions',
    runtimes: {
      '1': 'docker',
      '2': 'node12',
      '3': 'node12',
      '4': 'node16',
      '5': 'node20',
      '6': 'node20',
      '7': 'node24',
    },
  },
  { action: 'reviewdog/action-setup', runtimes: { '1': 'composite' } },
  { action: 'softprops/action-gh-release', runtimes: { '0': 'node16', '1': 'node16', '2': 'node20', '3': 'node24' } },
  { action: 'supabase/setup-cli', runtimes: { '1': 'node20', '2': 'composite' } },
  { action: 'superfly/flyctl-actions', runtimes: { '1': 'docker' } },
  {
    action: 'terraform-linters/setup-tflint',
    runtimes: { '1': 'node12', '2': 'node16', '3': 'node16', '4': 'node20', '5': 'node20', '6': 'node24' },
  },
] as const satisfies readonly ActionRuntimes[];
