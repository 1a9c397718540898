import { expect, test } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { credentialsOf } from './job-credentials.ts';
import { isPublished } from './published-values.ts';

test.each([
  ['vite_search_api_key'],
  ['next_public_mapbox_access_token'],
  ['react_app_maps_key'],
  ['expo_public_analytics_key'],
  ['gatsby_algolia_key'],
  ['nuxt_public_api_key'],
  ['vue_app_stripe_publishable_key'],
  ['supabase_anon_key'],
  ['public_supabase_anon_key'],
  ['prod_stripe_publishable_key'],
  ['sentry_dsn'],
  ['sentry_web_dsn'],
  ['segment_write_key'],
  ['vite_firebase_api_key'],
  ['prod_firebase_web_api_key'],
  ['dd_client_token'],
  ['turnstile_site_key'],
  ['pay_test_public_publishable_key'],
  ['acme_publishable_api_key_live'],
  ['publishable_key'],
  ['pay_live_public_buy_button'],
  ['public_base'],
  ['gpg_public_key'],
  ['deploy_publickey'],
  ['vapid_public_key'],
  ['signing_public_key_base64'],
])('%s is in the pages that a build makes', (name) => {
  expect(isPublished(name)).toBe(true);
});

test.each([
  ['vite'],
  ['vitest_token'],
  ['invite_api_key'],
  ['old_vite_api_key'],
  ['public_api_key'],
  ['public_repo_token'],
  ['public_bucket_access_key'],
  ['expo_token'],
  ['next_auth_secret'],
  ['vite_supabase_service_role_key'],
  ['vite_admin_key'],
  ['vite_private_key'],
  ['vite_api_secret'],
  ['vite_db_password'],
  ['vite_github_token'],
  ['vite_deploy_key'],
  ['react_app_aws_secret_access_key'],
  ['next_public_server_key'],
  ['gatsby_cloud_token'],
  ['supabase_service_role_key'],
  ['stripe_secret_key'],
  ['sentry_auth_token'],
  ['posthog_personal_api_key'],
  ['firebase_token'],
  ['firebase_service_account'],
  ['firebase_admin_api_key'],
  ['dd_api_key'],
  ['algolia_admin_api_key'],
  ['npm_publishable_token'],
  ['publishable'],
  ['unpublishable_key'],
  ['publishable_keystore'],
  ['publish_key'],
  ['public_private_key'],
  ['private_public_api_key'],
  ['public_access_key'],
  ['public_ecr_password'],
  ['public_token'],
  ['public_database_url'],
  ['public_deploy'],
  ['republic_code'],
  ['publicist_login'],
])('%s may be hidden', (name) => {
  expect(isPublished(name)).toBe(false);
});

function secretsOf(job: string): readonly string[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${job}`;
  const [workflow] = createRepository([{ path: '.github/workflows/a.yml', text }], 'acme/app').workflows;
  return workflow?.jobs.flatMap((each) => credentialsOf(each).secrets) ?? [];
}

const KEY = '"${{ secrets.SEARCH_KEY }}"';

test.each([
  [`    steps: [{ run: vite build, env: { VITE_SEARCH_KEY: ${KEY} } }]`],
  [`    env: { VITE_SEARCH_KEY: ${KEY} }\n    steps: [{ run: vite build }]`],
  [`    container: { image: a, env: { NEXT_PUBLIC_SEARCH: ${KEY} } }\n    steps: [{ run: next build }]`],
  [`    env: { VITE_SEARCH_KEY: &key ${KEY} }\n    steps: [{ run: vite build, env: { NEXT_PUBLIC_SEARCH: *key } }]`],
])('a secret that only variables of pages receive is no credential: %s', (job) => {
  expect(secretsOf(job)).toEqual([]);
});

test.each([
  ['google-github-actions/auth@v3', 'service_account'],
  ['Google-GitHub-Actions/auth@v3', 'SERVICE_ACCOUNT'],
  ['google-github-actions/deploy-cloudrun@v2', 'service_account'],
  ['google-github-actions/setup-gcloud@v0', 'service_account_email'],
])('%s takes the name of an account as %s', (action, input) => {
  expect(secretsOf(`    steps: [{ uses: ${action}, with: { ${input}: ${KEY} } }]`)).toEqual([]);
});

test.each([
  ['google-github-actions/auth@v3', 'credentials_json'],
  ['google-github-actions/setup-gcloud@v0', 'service_account_key'],
  ['somebody/auth@v3', 'service_account'],
  ['./auth', 'service_account'],
])('%s may take a key as %s', (action, input) => {
  expect(secretsOf(`    steps: [{ uses: ${action}, with: { ${input}: ${KEY} } }]`)).toEqual(['search_key']);
});

test('an account’s name that something else receives too may be a key', () => {
  const auth = `{ uses: google-github-actions/auth@v3, with: { service_account: ${KEY} } }`;
  expect(secretsOf(`    steps: [${auth}, { run: ./deploy, env: { KEY: ${KEY} } }]`)).toEqual(['search_key']);
});

test.each([
  [`    steps: [{ run: vite build, env: { VITE_SEARCH_KEY: ${KEY}, KEY: ${KEY} } }]`],
  [`    steps: [{ run: vite build, env: { VITE_SEARCH_KEY: ${KEY} } }, { run: ${KEY} }]`],
  [`    steps: [{ run: vite build, env: { VITE_ADMIN_KEY: ${KEY} } }]`],
  [`    steps: [{ uses: acme/build@v1, with: { VITE_SEARCH_KEY: ${KEY} } }]`],
  [`    env: { VITE_SEARCH_KEY: &key ${KEY} }\n    steps: [{ run: ./index, env: { KEY: *key } }]`],
  [`    env: { KEY: &key ${KEY} }\n    steps: [{ run: vite build, env: { VITE_SEARCH_KEY: *key } }]`],
])('a secret that something else receives too is a credential: %s', (job) => {
  expect(secretsOf(job)).toEqual(['search_key']);
});
