/** Actions with immutable releases, and the first version known to be one. Its tag and those of later versions cannot move. */
export const IMMUTABLE_SINCE: Readonly<Record<string, string>> = {
  'astral-sh/setup-uv': '8.0.0',
  'cloudflare/wrangler-action': '4.1.2',
  'peter-evans/create-pull-request': '8.1.1',
  'slackapi/slack-github-action': '3.0.2',
  'taiki-e/install-action': '2.87.22',
};
