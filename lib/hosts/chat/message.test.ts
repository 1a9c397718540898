import { describe, expect, it } from 'vitest';
import { describeNewHigh, describeTest, type PushNews } from './message.ts';

const WEB = 'https://chainbreak.example';
const ORG = '11111111-1111-4111-8111-111111111111';
const REPO = '22222222-2222-4222-8222-222222222222';
const FINGERPRINT = 'ab'.repeat(32);
const PAGE = `${WEB}/o/${ORG}/findings/${REPO}/${FINGERPRINT}`;

const finding = {
  fingerprint: FINGERPRINT,
  title: 'Code injection',
  file: '.github/workflows/ci.yml',
  line: 12,
} as const;

const push = (more: Partial<PushNews> = {}) =>
  describeNewHigh(WEB, {
    orgId: ORG,
    repoId: REPO,
    repository: 'acme/web',
    htmlUrl: 'https://code.example/acme/web',
    branch: 'main',
    commit: 'abc1234def5678abc1234def5678abc1234def56',
    findings: [finding],
    ...more,
  });

const textsOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsOf)
    : typeof value === 'string'
      ? [value]
      : [];

describe('the message about a push', () => {
  it('says how many findings there are, where and what, with links to findings, commit and organization', () => {
    const message = push();
    expect(message).toEqual({
      text: '1 new high finding in acme/web',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '1 new high finding in acme/web', emoji: false } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: `*HIGH* <${PAGE}|Code injection> \`.github/workflows/ci.yml:12\``,
            verbatim: true,
          },
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: 'Commit <https://code.example/acme/web/commit/abc1234def5678abc1234def5678abc1234def56|abc1234> on `main`',
              verbatim: true,
            },
          ],
        },
        {
          type: 'actions',
          elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open Chainbreak' }, url: `${WEB}/o/${ORG}` }],
        },
      ],
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('shows five findings and counts the others', () => {
    const findings = Array.from({ length: 7 }, (_, line) => ({ ...finding, line }));
    const { text, blocks } = push({ findings });
    expect(text).toBe('7 new high findings in acme/web');
    expect(
      textsOf(blocks[1])
        .join('')
        .match(/\*HIGH\*/g),
    ).toHaveLength(5);
    expect(textsOf(blocks[2]).join('')).toContain('2 more are not shown. Commit');
    expect(textsOf(push({ findings: findings.slice(0, 5) }).blocks[2]).join('')).not.toContain('more');
  });

  it('omits the place of a settings finding', () => {
    const { blocks } = push({ findings: [{ ...finding, file: null, line: null }] });
    expect(textsOf(blocks[1])).toContain(`*HIGH* <${PAGE}|Code injection>`);
  });

  it.each([
    '<!channel>',
    '<https://evil.example|click>',
    '`*bold*` <@U123>',
    'a&lt;b&amp;c',
    'a|b>c<d',
    'two\nlines\r\u2028three',
    '\u202Eliam\u2066',
    '@here #general :boom:',
  ])('neutralizes mark-up of %j in file and branch names', (name) => {
    const message = push({ branch: name, findings: [{ ...finding, file: name }] });
    for (const text of textsOf(message)) {
      const outside = text.replace(/<https:\/\/[^<>|\s]+\|[^<>\n]*>/g, '').replace(/`[^`\n]*`/g, '');
      expect(outside).not.toMatch(/[<>`\u0000-\u0009\u000B-\u001F\u202A-\u202E\u2066-\u2069\u2028]/u);
      expect(outside).not.toContain(name);
      expect(text).not.toMatch(/<[^h/]|&(?!amp;|lt;|gt;)/);
    }
  });

  it.each(['javascript:alert(1)', 'not an address', 'https://code.example/a|b>c', 'https://code.example/?a=1&b=2'])(
    'makes no other link of the repository’s address %s',
    (htmlUrl) => {
      const context = textsOf(push({ htmlUrl }).blocks[2]).find((text) => text.startsWith('Commit'));
      expect(context).toMatch(/^Commit (?:<https:\/\/code\.example\/[^<>|]*\|abc1234>|abc1234) on `main`$/);
    },
  );

  it.each(['&', '<', '\u202E', 'x', '🙂'])('stays within Slack’s block limit, with long names of %j', (character) => {
    const name = character.repeat(4_000);
    const { text, blocks } = push({
      repository: name,
      branch: name,
      findings: Array.from({ length: 5 }, () => ({ ...finding, file: name })),
    });
    expect(text.length).toBeLessThanOrEqual(300);
    const [header = '', section = '', context = ''] = blocks.slice(0, 3).map((block) => textsOf(block).join(''));
    expect(header.length).toBeLessThan(150 + 30);
    expect(section.length).toBeLessThan(3_000);
    expect(context.length).toBeLessThan(2_000);
    for (const each of [text, header, section, context]) {
      expect(each.isWellFormed()).toBe(true);
      expect(each).not.toMatch(/&(?!amp;|lt;|gt;)/);
    }
  });
});

describe('the test message', () => {
  it('describes itself, in the notification and in the channel', () => {
    const message = describeTest(WEB);
    expect(message.text).toMatch(/test message/);
    expect(textsOf(message.blocks)).toContain(message.text);
  });
});
