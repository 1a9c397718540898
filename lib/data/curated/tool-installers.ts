export interface ToolInstaller {
  readonly action: string;
  readonly tool: string;
  readonly role: 'deploys' | 'publishes' | 'scans' | 'handles secrets' | 'is an AI agent';
  readonly input: string;
  readonly whenMissing: 'moving' | 'fixed';
  readonly alternatives?: readonly string[];
}

export const TOOL_INSTALLERS = [
  {
    action: 'hashicorp/setup-terraform',
    tool: 'Terraform',
    role: 'deploys',
    input: 'terraform_version',
    whenMissing: 'moving',
  },
  {
    action: 'opentofu/setup-opentofu',
    tool: 'OpenTofu',
    role: 'deploys',
    input: 'tofu_version',
    whenMissing: 'moving',
    alternatives: ['tofu_version_file'],
  },
  { action: 'azure/setup-kubectl', tool: 'kubectl', role: 'deploys', input: 'version', whenMissing: 'moving' },
  {
    action: 'azure/setup-helm',
    tool: 'Helm',
    role: 'deploys',
    input: 'version',
    whenMissing: 'moving',
    alternatives: ['version-file'],
  },
  {
    action: 'google-github-actions/setup-gcloud',
    tool: 'the Google Cloud CLI',
    role: 'deploys',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: 'superfly/flyctl-actions/setup-flyctl',
    tool: 'flyctl',
    role: 'deploys',
    input: 'version',
    whenMissing: 'moving',
  },
  { action: 'digitalocean/action-doctl', tool: 'doctl', role: 'deploys', input: 'version', whenMissing: 'moving' },
  { action: 'supabase/setup-cli', tool: 'the Supabase CLI', role: 'deploys', input: 'version', whenMissing: 'fixed' },
  {
    action: 'pulumi/actions',
    tool: 'Pulumi',
    role: 'deploys',
    input: 'pulumi-version',
    whenMissing: 'moving',
    alternatives: ['pulumi-version-file'],
  },
  { action: 'ko-build/setup-ko', tool: 'ko', role: 'publishes', input: 'version', whenMissing: 'moving' },
  { action: 'imjasonh/setup-crane', tool: 'crane', role: 'publishes', input: 'version', whenMissing: 'moving' },
  {
    action: 'goreleaser/goreleaser-action',
    tool: 'GoReleaser',
    role: 'publishes',
    input: 'version',
    whenMissing: 'moving',
    alternatives: ['version-file'],
  },
  {
    action: 'sigstore/cosign-installer',
    tool: 'cosign',
    role: 'publishes',
    input: 'cosign-release',
    whenMissing: 'fixed',
  },
  {
    action: 'jfrog/setup-jfrog-cli',
    tool: 'the JFrog CLI',
    role: 'publishes',
    input: 'version',
    whenMissing: 'fixed',
  },
  { action: 'aquasecurity/setup-trivy', tool: 'Trivy', role: 'scans', input: 'version', whenMissing: 'moving' },
  { action: 'aquasecurity/trivy-action', tool: 'Trivy', role: 'scans', input: 'version', whenMissing: 'fixed' },
  {
    action: 'terraform-linters/setup-tflint',
    tool: 'TFLint',
    role: 'scans',
    input: 'tflint_version',
    whenMissing: 'moving',
    alternatives: ['tflint_version_file'],
  },
  {
    action: 'reviewdog/action-setup',
    tool: 'reviewdog',
    role: 'scans',
    input: 'reviewdog_version',
    whenMissing: 'moving',
  },
  { action: 'trufflesecurity/trufflehog', tool: 'TruffleHog', role: 'scans', input: 'version', whenMissing: 'moving' },
  {
    action: '1password/install-cli-action',
    tool: 'the 1Password CLI',
    role: 'handles secrets',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: '1password/load-secrets-action',
    tool: 'the 1Password CLI',
    role: 'handles secrets',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: 'openai/codex-action',
    tool: 'Codex',
    role: 'is an AI agent',
    input: 'codex-version',
    whenMissing: 'moving',
  },
  {
    action: 'google-github-actions/run-gemini-cli',
    tool: 'the Gemini CLI',
    role: 'is an AI agent',
    input: 'gemini_cli_version',
    whenMissing: 'moving',
  },
] as const satisfies readonly ToolInstaller[];
