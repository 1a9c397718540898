const BUILT_IN =
  /^(?:bun_public|expo_public|gatsby|next_public|ng_app|nuxt_public|nx_public|plasmo_public|preact_app|react_app|snowpack_public|taro_app|umi_app|vite|vue_app)_\w/;

const SERVICES =
  /(?:^|_)(?:amplitude_api_key|(?:datadog|dd)_client_token|firebase_(?:web_)?api_key|mixpanel_(?:project_)?token|posthog_project_(?:api_)?key|segment_write_key|sentry_(?:\w{1,40}_)?dsn|supabase_anon_key|publishable_(?:\w{1,40}_)?key(?:_(?:dev|live|prod|staging|test))?|(?:recaptcha|hcaptcha|turnstile)_site_?key|algolia_search_(?:only_)?(?:api_)?key|public_?key(?:_(?:b64|base64|pem))?)$/;

const NAMES_MORE =
  /(?:^|_)(?:admin|auth|aws|azure|bot|build|ci|cloud|cookie|crypt\w*|database|db|deploy\w*|encrypt\w*|gcp|gh|git\w*|jwt|master|mongo\w*|mysql|npm|pass\w*|pat|postgres\w*|priv(?:ate)?|publish|pwd|redis|registry|release|repo\w*|role|root|secret\w*|server|service_?\w*|session|sign\w*|sk|ssh|upload\w*|write)(?:_|$)/;

const PUBLIC = /(?:^|_)public(?:_|$)/;

const SECRETIVE = /cred|dsn|hook|key|pass|token|ur[il](?:_|$)/;

/** True for variables and secrets in lower case whose names say that pages or apps contain the value. */
export function isPublished(name: string): boolean {
  if (SERVICES.test(name)) return true;
  return (BUILT_IN.test(name) || (PUBLIC.test(name) && !SECRETIVE.test(name))) && !NAMES_MORE.test(name);
}
