/** Random, so that no sample looks like a placeholder; never issued by any service. */
const RANDOM = 'q8Zr2LmX7vT4nB9sKd3WfY6pHc5GjQ1uRa0EoNiSxVzCyMtJkFbDgLwPhXr7T2Kv9ZmQ4sNd8'.repeat(5);
const HEX = '3f7a9c1e5b8d2046af93c7e1b5d8024a6f9c3e7b1d5a8f204c6e9b3d7f1a5c8e'.repeat(3);
const CAPITALS = 'Q8ZR2LMX7VT4NB9SKD3WFY6PHC5GJQ1URA0EON7SXVZCYMTJKFBDGLWPHXR2T9KV4ZMQ'.repeat(2);
const GITHUB = 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17';

const random = (length: number): string => RANDOM.slice(0, length);
const hex = (length: number): string => HEX.slice(0, length);
const capitals = (length: number): string => CAPITALS.slice(0, length);
/** Assembled, so that no file contains a credential-like text. */
const of = (...parts: string[]): string => parts.join('');

export interface CredentialSample {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

const sample = (name: string, source: string, ...parts: string[]): CredentialSample => ({
  name,
  source,
  value: of(...parts),
});

export const CREDENTIAL_SAMPLES: readonly CredentialSample[] = [
  ...['p', 'o', 'u', 's', 'r'].map((kind) =>
    sample('a GitHub token', 'github.blog: new authentication token formats', `gh${kind}`, '_', GITHUB),
  ),
  sample('a GitHub token', 'gitleaks github-fine-grained-pat', 'github', '_pat_', random(22), '_', random(59)),
  ...['pat', 'dt', 'rt', 'rtr', 'ptt', 'cbt', 'ft', 'ffct', 'imt', 'soat', 'oas', 'agent', 'wt'].map((kind) =>
    sample('a GitLab token', 'docs.gitlab.com: token prefixes', `gl${kind}`, '-', random(24)),
  ),
  sample('a GitLab token', 'gitleaks gitlab-pat-routable', 'glpat', '-', random(27), '.01.', hex(9).toLowerCase()),
  sample('a GitLab token', 'gitleaks gitlab-rrt', 'GR134', '8941', random(20)),
  sample('the id of an AWS key', 'gitleaks aws-access-token', 'AK', 'IA', capitals(16)),
  sample('an AWS session token', 'TruffleHog AWSSessionKey', 'IQoJb3', 'JpZ2lu', random(300)),
  sample('an Amazon Bedrock key', 'gitleaks aws-amazon-bedrock-api-key-long-lived', 'AB', 'SK', random(109)),
  sample('an npm token', 'gitleaks npm-access-token', 'np', 'm_', GITHUB),
  sample('a PyPI token', 'gitleaks pypi-upload-token', 'py', 'pi-AgE', random(60)),
  ...['a', 'b', 'e', 'o', 'p', 'r', 's'].map((kind) =>
    sample('a Slack token', 'docs.slack.dev: tokens', `xox${kind}`, '-', random(40)),
  ),
  sample('a Slack token', 'gitleaks slack-app-token', 'xa', 'pp-1-', capitals(11), '-7392164850371-', hex(64)),
  sample(
    'a Slack webhook',
    'gitleaks slack-webhook-url',
    'https://hooks.slack',
    '.com/services/T0K3QJ7XW/B0M8RZ2LT/',
    random(24),
  ),
  sample(
    'a Discord webhook',
    'TruffleHog DiscordWebhook',
    'https://discord',
    '.com/api/webhooks/918273645546372819/',
    random(68),
  ),
  sample(
    'a Discord bot token',
    'TruffleHog DiscordBotToken',
    Buffer.from('918273645546372819').toString('base64'),
    '.',
    random(6),
    '.',
    random(38),
  ),
  sample(
    'a Microsoft Teams webhook',
    'gitleaks microsoft-teams-webhook',
    'https://acme.webhook',
    '.office.com/webhookb2/3f7a9c1e-5b8d-2046-af93-c7e1b5d8024a@6f9c3e7b-1d5a-8f20-4c6e-9b3d7f1a5c8e/IncomingWebhook/',
    hex(32),
    '/3f7a9c1e-5b8d-2046-af93-c7e1b5d8024a',
  ),
  sample('a Telegram bot token', 'gitleaks telegram-bot-api-token', '739216485', ':AA', random(33)),
  sample('an Anthropic key', 'gitleaks anthropic-api-key', 'sk', '-ant-api03-', random(73)),
  sample('an OpenAI key', 'gitleaks openai-api-key', 'sk', '-proj-', random(20), 'T3Blbk', 'FJ', random(20)),
  sample('a Groq key', 'TruffleHog Groq', 'gs', 'k_', random(52)),
  sample('an xAI key', 'TruffleHog XAI', 'xa', 'i-', random(80)),
  sample('a Perplexity key', 'gitleaks perplexity-api-key', 'pp', 'lx-', random(48)),
  sample('a Replicate token', 'TruffleHog Replicate', 'r', '8_', random(37)),
  sample('a LangSmith key', 'TruffleHog LangSmith', 'lsv2', '_pt_', hex(32), '_', hex(10)),
  sample('a Google API key', 'gitleaks gcp-api-key', 'AI', 'za', random(35)),
  sample('a Google access token', 'TruffleHog GCPApplicationDefaultCredentials', 'ya', '29.', random(73)),
  sample('a Google OAuth client secret', 'TruffleHog GoogleOauth2', 'GOC', 'SPX-', random(28)),
  sample('a Google refresh token', 'developers.google.com: OAuth 2.0 token size', '1/', '/0', random(100)),
  sample('an Azure client secret', 'gitleaks azure-ad-client-secret', random(3), '8Q', '~', random(34)),
  sample('an Azure DevOps token', 'learn.microsoft.com: format of a PAT', random(76), 'AZ', 'DO', random(4)),
  ...['sk', 'rk'].map((kind) => sample('a Stripe key', 'gitleaks stripe-access-token', kind, '_live_', random(24))),
  sample('a Stripe test key', 'gitleaks stripe-access-token', 'sk', '_test_', random(24)),
  sample('a webhook secret', 'docs.stripe.com: webhook signatures', 'wh', 'sec_', random(32)),
  sample('a Square token', 'gitleaks square-access-token', 'sq0', 'atp-', random(22)),
  sample('a Square token', 'gitleaks square-access-token', 'EA', 'AA', random(60)),
  ...['at', 'ca', 'pa', 'ss'].map((kind) =>
    sample('a Shopify token', 'gitleaks shopify-access-token', `shp${kind}`, '_', hex(32)),
  ),
  sample('a SendGrid key', 'gitleaks sendgrid-api-token', 'S', 'G.', random(22), '.', random(43)),
  sample('a Mailgun key', 'gitleaks mailgun-private-api-token', 'ke', 'y-', hex(32)),
  sample('a Brevo key', 'gitleaks sendinblue-api-token', 'xkey', 'sib-', hex(64), '-', random(16)),
  sample('a Twilio key', 'gitleaks twilio-api-key', 'S', 'K', hex(32)),
  ...['pat', 'oat'].map((kind) =>
    sample('a Docker Hub token', 'TruffleHog Dockerhub', 'dck', `r_${kind}_`, random(27)),
  ),
  sample('a Hugging Face token', 'gitleaks huggingface-access-token', 'h', 'f_', random(34)),
  sample('a Hugging Face token', 'gitleaks huggingface-organization-api-token', 'api', '_org_', random(34)),
  ...['o', 'p', 'r'].map((kind) =>
    sample('a DigitalOcean token', 'gitleaks digitalocean-pat', `do${kind}`, '_v1_', hex(64)),
  ),
  sample('a Databricks token', 'gitleaks databricks-api-token', 'da', 'pi', hex(32)),
  sample('a RubyGems key', 'gitleaks rubygems-api-token', 'ruby', 'gems_', hex(48)),
  sample('a NuGet key', 'TruffleHog NugetApiKey', 'oy', '2', random(43).toLowerCase()),
  sample('a crates.io token', 'rust-lang/crates.io: token format', 'ci', 'o', random(32)),
  sample('a Clojars token', 'gitleaks clojars-api-token', 'CLO', 'JARS_', hex(60)),
  sample('an Artifactory key', 'gitleaks artifactory-api-key', 'AK', 'Cp', random(69)),
  sample('an Artifactory key', 'gitleaks artifactory-reference-token', 'cm', 'Vmd', random(59)),
  ...['s', 'b', 'r'].map((kind) =>
    sample('a HashiCorp Vault token', 'developer.hashicorp.com: token prefixes', `hv${kind}`, '.', random(30)),
  ),
  sample('a HashiCorp Vault token', 'gitleaks vault-service-token', 's', '.', random(24)),
  sample('a Terraform token', 'gitleaks hashicorp-tf-api-token', random(14), '.atlas', 'v1.', random(67)),
  sample('a Pulumi token', 'gitleaks pulumi-api-token', 'pu', 'l-', hex(40)),
  sample('a Doppler token', 'gitleaks doppler-api-token', 'dp', '.pt.', random(43)),
  sample('a 1Password token', 'gitleaks 1password-service-account-token', 'op', 's_eyJ', random(250)),
  sample('an age key', 'gitleaks age-secret-key', 'AGE-SEC', 'RET-KEY-1', capitals(58)),
  sample('an Atlassian token', 'gitleaks atlassian-api-token', 'AT', 'ATT3x', random(186)),
  sample('an Atlassian token', 'TruffleHog BitbucketAppPassword', 'AT', 'BB', random(32)),
  sample('an Atlassian token', 'TruffleHog BitbucketDataCenter', 'BB', 'DC-', random(44)),
  sample('a Linear token', 'gitleaks linear-api-key', 'lin', '_api_', random(40)),
  sample('a Notion token', 'gitleaks notion-api-token', 'nt', 'n_', random(46)),
  sample('a Figma token', 'TruffleHog FigmaPersonalAccessToken', 'fig', 'd_', random(40)),
  sample('an Airtable token', 'gitleaks airtable-personal-access-token', 'pa', 't', random(14), '.', hex(64)),
  sample('a Contentful token', 'TruffleHog ContentfulPersonalAccessToken', 'CF', 'PAT-', random(43)),
  sample('a Postman key', 'gitleaks postman-api-token', 'PM', 'AK-', hex(24), '-', hex(34)),
  sample('a Grafana token', 'gitleaks grafana-service-account-token', 'gl', 'sa_', random(32), '_', hex(8)),
  sample('a Grafana token', 'gitleaks grafana-cloud-api-token', 'gl', 'c_eyJ', random(60)),
  sample('a New Relic key', 'gitleaks new-relic-user-api-key', 'NR', 'AK-', capitals(27)),
  sample('a New Relic key', 'gitleaks new-relic-insert-key', 'NR', 'II-', random(32)),
  sample('a Sentry token', 'gitleaks sentry-org-token', 'snt', 'rys_eyJ', random(100), '_', random(43)),
  sample('a Sentry token', 'gitleaks sentry-user-token', 'snt', 'ryu_', hex(64)),
  sample('a Dynatrace token', 'gitleaks dynatrace-api-token', 'dt0', 'c01.', capitals(24), '.', capitals(64)),
  sample('a SonarQube token', 'docs.sonarsource.com: token prefixes', 'sq', 'p_', hex(40)),
  sample('a Buildkite token', 'TruffleHog Buildkite', 'bk', 'ua_', hex(40)),
  sample('an Infracost key', 'gitleaks infracost-api-token', 'ic', 'o-', random(32)),
  sample('a Heroku key', 'gitleaks heroku-api-key-v2', 'HR', 'KU-AA', random(58)),
  sample('a Netlify token', 'TruffleHog Netlify', 'nf', 'p_', random(36)),
  sample('a Supabase key', 'TruffleHog SupabaseToken', 'sb', 'p_', hex(40)),
  sample('a Supabase key', 'supabase.com: API keys', 'sb', '_secret_', random(31)),
  sample('a PlanetScale credential', 'gitleaks planetscale-api-token', 'psc', 'ale_tkn_', random(43)),
  sample('a Fly.io token', 'gitleaks flyio-access-token', 'fo', '1_', random(43)),
  sample('a Prefect key', 'gitleaks prefect-api-token', 'pn', 'u_', random(36).toLowerCase()),
  sample('an Alibaba Cloud key id', 'gitleaks alibaba-access-key-id', 'LT', 'AI', random(20)),
  sample(
    'a signed web token',
    'RFC 7519; gitleaks jwt',
    'ey',
    'J',
    random(20),
    '.ey',
    'J',
    random(30),
    '.',
    random(43),
  ),
  ...['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', ''].map((kind) =>
    sample(
      'a private key',
      'RFC 7468; gitleaks private-key',
      `-----BEGIN ${kind}PRIV`,
      `ATE KEY-----\\n${random(64)}\\n${random(64)}\\n-----END ${kind}PRIV`,
      'ATE KEY-----',
    ),
  ),
  sample('a credential in base64', 'RFC 4648', Buffer.from(of('gh', 'p_', GITHUB)).toString('base64')),
];
