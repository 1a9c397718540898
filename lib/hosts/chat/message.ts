import { oneLine, visible } from '#lib/report/visible.ts';

/** Payload of an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export interface ChatMessage {
  readonly text: string;
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

export interface PushNews {
  readonly orgId: string;
  readonly repoId: string;
  readonly repository: string;
  readonly htmlUrl: string;
  readonly branch: string;
  readonly commit: string;
  readonly findings: readonly {
    readonly fingerprint: string;
    readonly title: string;
    readonly file: string | null;
    readonly line: number | null;
  }[];
}

const MAX_LINES = 5;
const MAX_HEADER_LENGTH = 150;
const MAX_TEXT_LENGTH = 300;
const MAX_NAME_LENGTH = 200;

export function describeNewHigh(webUrl: string, news: PushNews): ChatMessage {
  const { orgId, repoId, repository, htmlUrl, branch, commit, findings } = news;
  const home = `${webUrl}/o/${orgId}`;
  const title = `${findings.length} new high ${findings.length === 1 ? 'finding' : 'findings'} in ${repository}`;
  const lines = findings.slice(0, MAX_LINES).map(({ fingerprint, title: what, file, line }) => {
    const page = link(`${home}/findings/${repoId}/${fingerprint}`, what);
    return `*HIGH* ${page}${file === null ? '' : ` ${literal(line === null ? file : `${file}:${line}`)}`}`;
  });
  const more = findings.length - lines.length;
  const commitLink = link(`${htmlUrl}/commit/${encodeURIComponent(commit)}`, commit.slice(0, 7));
  const where = `Commit ${commitLink} on ${literal(branch)}`;
  return compose(title, [
    { type: 'header', text: { type: 'plain_text', text: escape(oneLine(title), MAX_HEADER_LENGTH), emoji: false } },
    { type: 'section', text: mrkdwn(lines.join('\n')) },
    { type: 'context', elements: [mrkdwn(more > 0 ? `${more} more are not shown. ${where}` : where)] },
    {
      type: 'actions',
      elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open Chainbreak' }, url: home }],
    },
  ]);
}

export function describeTest(webUrl: string): ChatMessage {
  const text = 'This is the Chainbreak test message you requested: the webhook works.';
  return compose(text, [
    { type: 'section', text: mrkdwn(text) },
    { type: 'context', elements: [mrkdwn(link(webUrl, webUrl))] },
  ]);
}

function compose(text: string, blocks: ChatMessage['blocks']): ChatMessage {
  return { text: escape(visible(text), MAX_TEXT_LENGTH), blocks, unfurl_links: false, unfurl_media: false };
}

/** Verbatim: no channel or user mentions. */
function mrkdwn(text: string): Readonly<Record<string, unknown>> {
  return { type: 'mrkdwn', text, verbatim: true };
}

/**
 * Escapes the three special characters, then truncates: Slack rejects longer blocks, so a repository could otherwise
 * suppress its own findings.
 */
function escape(text: string, length: number): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (escaped.length <= length) return escaped;
  return `${escaped
    .slice(0, length - 1)
    .replace(/&[a-z]*$/, '')
    .toWellFormed()}…`;
}

function literal(text: string): string {
  return `\`${escape(oneLine(text).replaceAll('`', "'"), MAX_NAME_LENGTH)}\``;
}

function link(address: string, label: string): string {
  const text = escape(oneLine(label), MAX_NAME_LENGTH);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return text;
  return `<${url.href.replaceAll('&', '&amp;').replaceAll('|', '%7C')}|${text}>`;
}
