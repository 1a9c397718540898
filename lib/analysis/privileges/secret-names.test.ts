import { expect, test } from 'vitest';
import { namesKey } from './job-credentials.ts';
import { opensLittle, opensOnly } from './secret-names.ts';

test.each([
  ['codecov_token', 'codecov'],
  ['snyk_token', 'snyk'],
  ['org_snyk_token', 'snyk'],
  ['prod_vercel_token', 'vercel'],
  ['turbo_token', 'vercel'],
  ['fossa_api_key', 'fossas'],
  ['fossa_api_key', 'fossa-contrib'],
  ['fly_api_token', 'fly'],
  ['fly_io_token', 'superfly'],
  ['nx_cloud_access_token', 'nx'],
  ['nx_cloud_access_token', 'nrwl'],
  ['nx_cloud_access_token', 'nx-cloud'],
  ['chromatic_project_token', 'chromaui'],
  ['claude_code_oauth_token', 'anthropics'],
  ['anthropic_api_key_for_ci', 'claude'],
  ['anthropic_api_key', 'anthropic-ai'],
  ['anthropic_api_key_github_actions', 'anthropics'],
  ['dd_api_key', 'DataDog'],
  ['sentry_auth_token', 'getsentry'],
  ['buf_token', 'bufbuild'],
  ['semgrep_app_token', 'returntocorp'],
  ['cloudflare_api_token', 'wrangler'],
  ['expo_token', 'eas'],
  ['azure_credentials', 'azure'],
  ['docker_pat', 'docker'],
  ['ovsx_pat', 'ovsx'],
  ['open_vsx_token', 'ovsx'],
  ['openvsx_access_token', 'ovsx'],
  ['vsx_pat', 'ovsx'],
  ['vsce_pat', 'vscode'],
  ['vscode_marketplace_token', 'vsce'],
  ['vs_marketplace_token', 'vscode'],
  ['gcp_sa_key', 'google-github-actions'],
  ['gemini_api_key', 'google-github-actions'],
  ['google_credentials_json', 'Google-GitHub-Actions'],
  ['prod_gke_sa_key', 'GoogleCloudPlatform'],
  ['aws_secret_access_key', 'aws-actions'],
  ['arm_client_secret', 'azure'],
  ['cf_api_token', 'cloudflare'],
  ['tc_cloud_token', 'atomicjar'],
])('%s only opens the service of %s', (secret, vendor) => {
  expect(opensOnly(secret, vendor)).toBe(true);
});

test.each([
  ['npm_token', 'snyk'],
  ['github_token_for_snyk', 'snyk'],
  ['snyk_github_token', 'snyk'],
  ['crowdin_gh_token', 'crowdin'],
  ['vercel_npm_token', 'vercel'],
  ['expo_apple_password', 'expo'],
  ['claude_bot_key', 'anthropics'],
  ['aws_snyk_key', 'snyk'],
  ['flyway_password', 'fly'],
  ['nxlog_key', 'nx'],
  ['openapi_key', 'openai'],
  ['buffer_token', 'bufbuild'],
  ['anthropic_api_key', 'constructor'],
  ['token', ''],
  ['key', 'x'],
  ['gcp_sa_key', 'google-github-action'],
  ['gcp_sa_key', 'googlegithubactions'],
  ['gcp_sa_key', 'google-github-actionss'],
  ['aws_secret_access_key', 'awsactions'],
  ['gcp_npm_token', 'google-github-actions'],
  ['confluence_token', 'cloudflare'],
  ['tc_token', 'atomicjar'],
  ['vsce_pat', 'ovsx'],
  ['ovsx_pat', 'vscode'],
  ['vscode_github_token', 'vscode'],
])('%s may open more than the service of %s', (secret, vendor) => {
  expect(opensOnly(secret, vendor)).toBe(false);
});

test.each([
  ['sccache_azure_connection_string'],
  ['bazel_cache_key'],
  ['gradle_enterprise_cache_password'],
  ['turbo_token'],
  ['turbo_remote_cache_signature_key'],
  ['my_remote_cache_token'],
  ['nx_cloud_access_token'],
  ['buildbuddy_api_key'],
  ['gradle_encryption_key'],
  ['s3_buildcache_secret'],
])('%s opens a build cache', (name) => {
  expect(opensLittle(name)).toBe(true);
});

test.each([
  ['cachix_auth_token'],
  ['cachix_signing_key'],
  ['nix_cache_signing_key'],
  ['build_cache_deploy_key'],
  ['cloudfront_cache_token'],
  ['turbot_token'],
])('%s may open more than a build cache', (name) => {
  expect(opensLittle(name)).toBe(false);
});

test.each([['engine_license'], ['engine_activation_key'], ['goreleaser_key']])('%s pays for a program', (name) => {
  expect(opensLittle(name)).toBe(true);
});

test.each([
  ['acme_test_token'],
  ['test_api_key'],
  ['tests_token'],
  ['test_pypi_token'],
  ['testpypi_api_token'],
  ['acme_test_pypi_password'],
  ['dagger_cloud_token'],
])('%s opens what tests or telemetry use', (name) => {
  expect(opensLittle(name)).toBe(true);
});

test.each([
  ['github_test_token'],
  ['gh_test_token'],
  ['pypi_test_token'],
  ['test_pypi_and_pypi_token'],
  ['test_pypi_publish_token'],
  ['latest_pypi_token'],
  ['contest_pypi_token'],
  ['test_bot_token'],
  ['test_access_token'],
  ['docker_test_password'],
  ['latest_token'],
  ['dagger_token'],
  ['user_activation_token'],
  ['reactivation_key'],
])('%s may open more than tests use', (name) => {
  expect(opensLittle(name)).toBe(false);
});

test.each([
  ['dockerusername'],
  ['sonatype_user_name'],
  ['aws_role_to_assume'],
  ['deploy_role'],
  ['macos_notary_issuer_id'],
  ['azure_diag_workspace_id'],
  ['android_keystore_alias'],
  ['s3_endpoint'],
  ['vault_url'],
  ['cognito_user_pool'],
  ['cognito_client_id'],
  ['telegram_chat_id'],
  ['apple_key_id'],
  ['jira_url'],
  ['acme_portal_url'],
  ['netlify_site_id'],
  ['netlify_site_id_docs'],
  ['gcp_wif_provider'],
  ['workload_identity_provider'],
  ['gcp_workload_identity_provider_name'],
  ['oidc_provider'],
  ['gcp_ksa_name'],
  ['azure_webapp_name'],
  ['bucket_name'],
  ['hostname'],
  ['server_name'],
  ['gcp_project'],
  ['google_cloud_project'],
  ['google_project_number'],
  ['azure_tenant'],
  ['azure_tenant_id'],
  ['azure_client_id'],
  ['aws_account_id'],
  ['aws_account_number'],
  ['azure_signing_account'],
  ['azure_signing_profile'],
  ['azure_signing_certificate_profile'],
  ['azure_signing_account_name'],
])('%s names something and opens nothing', (name) => {
  expect(namesKey(name)).toBe(false);
});

test.each([
  ['database_url'],
  ['redis_url'],
  ['mainnet_rpc_url'],
  ['cognito_client_secret'],
  ['cognito_test_password'],
  ['aws_access_key_id'],
  ['session_id'],
  ['url_signing_key'],
  ['deploy_hook_url'],
  ['slack_webhook_url'],
  ['android_keystore'],
  ['user_password'],
  ['roles_token'],
  ['netlify_site_id_deploy_token'],
  ['netlify_site_identity'],
  ['netlify_site_key'],
  ['gcp_provider_key'],
  ['wif_provider_credentials'],
  ['provider_name_token'],
  ['gcp_project_key'],
  ['codacy_project'],
  ['azure_tenant_secret'],
  ['aws_account'],
  ['gcp_service_account'],
  ['aws_account_password'],
  ['azure_signing_account_key'],
  ['apple_signing_certificate'],
  ['apple_provisioning_profile'],
])('%s may open something', (name) => {
  expect(namesKey(name)).toBe(true);
});
