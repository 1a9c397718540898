export interface ToolInstaller {
  readonly action: string;
  readonly tool: string;
  readonly input: string;
  readonly whenMissing: 'moving' | 'fixed';
  readonly alternatives?: readonly string[];
}

export const TOOL_INSTALLERS = [
  {
    action: 'hashicorp/setup-terraform',
    tool: 'Terraform',
    input: 'terraform_version',
    whenMissing: 'moving',
  },
  {
    action: 'opentofu/setup-opentofu',
    tool: 'OpenTofu',
    input: 'tofu_version',
    whenMissing: 'moving',
    alternatives: ['tofu_version_file'],
  },
  { action: 'azure/setup-kubectl', tool: 'kubectl', input: 'version', whenMissing: 'moving' },
  {
    action: 'azure/setup-helm',
    tool: 'Helm',
    input: 'version',
    whenMissing: 'moving',
    alternatives: ['version-file'],
  },
  {
    action: 'google-github-actions/setup-gcloud',
    tool: 'the Google Cloud CLI',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: 'superfly/flyctl-actions/setup-flyctl',
    tool: 'flyctl',
    input: 'version',
    whenMissing: 'moving',
  },
  { action: 'digitalocean/action-doctl', tool: 'doctl', input: 'version', whenMissing: 'moving' },
  { action: 'supabase/setup-cli', tool: 'the Supabase CLI', input: 'version', whenMissing: 'fixed' },
  {
    action: 'pulumi/actions',
    tool: 'Pulumi',
    input: 'pulumi-version',
    whenMissing: 'moving',
    alternatives: ['pulumi-version-file'],
  },
  { action: 'ko-build/setup-ko', tool: 'ko', input: 'version', whenMissing: 'moving' },
  { action: 'imjasonh/setup-crane', tool: 'crane', input: 'version', whenMissing: 'moving' },
  {
    action: 'goreleaser/goreleaser-action',
    tool: 'GoReleaser',
    input: 'version',
    whenMissing: 'moving',
    alternatives: ['version-file'],
  },
  {
    action: 'sigstore/cosign-installer',
    tool: 'cosign',
    input: 'cosign-release',
    whenMissing: 'fixed',
  },
  {
    action: 'jfrog/setup-jfrog-cli',
    tool: 'the JFrog CLI',
    input: 'version',
    whenMissing: 'fixed',
  },
  { action: 'aquasecurity/setup-trivy', tool: 'Trivy', input: 'version', whenMissing: 'moving' },
  { action: 'aquasecurity/trivy-action', tool: 'Trivy', input: 'version', whenMissing: 'fixed' },
  {
    action: 'terraform-linters/setup-tflint',
    tool: 'TFLint',
    input: 'tflint_version',
    whenMissing: 'moving',
    alternatives: ['tflint_version_file'],
  },
  {
    action: 'reviewdog/action-setup',
    tool: 'reviewdog',
    input: 'reviewdog_version',
    whenMissing: 'moving',
  },
  { action: 'trufflesecurity/trufflehog', tool: 'TruffleHog', input: 'version', whenMissing: 'moving' },
  {
    action: '1password/install-cli-action',
    tool: 'the 1Password CLI',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: '1password/load-secrets-action',
    tool: 'the 1Password CLI',
    input: 'version',
    whenMissing: 'moving',
  },
  {
    action: 'openai/codex-action',
    tool: 'Codex',
    input: 'codex-version',
    whenMissing: 'moving',
  },
  {
    action: 'google-github-actions/run-gemini-cli',
    tool: 'the Gemini CLI',
    input: 'gemini_cli_version',
    whenMissing: 'moving',
  },
] as const satisfies readonly ToolInstaller[];
