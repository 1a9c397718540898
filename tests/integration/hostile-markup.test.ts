import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { HOSTILE_REPOSITORIES } from '../support/hostile-repository.ts';

const TAGS = new Set([
  ...['h1', 'h2', 'h3', 'p', 'strong', 'em', 'ul', 'ol', 'li', 'code', 'a', 'details', 'summary'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);
const ATTRIBUTES = /^(?: align="right"| start="\d"| href="https:\/\/chainbreak\.example\/rules\/[a-z-]+")?$/;
/** https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/node_filter/mention_filter.rb, and issues likewise. */
const REFERENCES = /(?:^|\W)@[a-z\d]|#\d|\bGH-\d|@[\da-f]{7}/i;

const OUR_HEADINGS =
  /^(?:Chainbreak$|Attack paths$|By rule$|(?:HIGH|MEDIUM) <a href="[^"]*"><code>|SLSA|Not assessed$|Files with problems$)/;

function render(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

function textOf(html: string): string {
  return html
    .replace(/<code>[^]*?<\/code>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

const LINKS = [
  ...[
    'https://evil.example/a',
    'HTTP://evil.example',
    'ftp://evil.example',
    'www.evil.example',
    'WWW.evil.example',
    '_www.evil.example',
  ],
  ...['mail@evil.example', 'mailto:mail@evil.example', 'xmpp:mail@evil.example/x', '@admin', 'x/@team/x', '(@admin)'],
  ...[
    '#1',
    'owner/repo#2',
    'x/GH-3',
    `evil/evil@${'a'.repeat(40)}`,
    `evil@${'b'.repeat(7)}`,
    '&#64;admin',
    '&commat;a',
  ],
  ...[
    '[a](https://evil.example)',
    '![a](/b)',
    '[a]: /b',
    '<b>',
    '<!-- x',
    '<https://evil.example>',
    '`',
    '$a$',
    '~~a~~',
  ],
];

const LINKING = {
  '.github/workflows/a.yml': `on: push\njobs:\n${LINKS.map(
    (link, index) => `  j${index}:\n    runs-on: x\n    container: ${JSON.stringify(link)}\n    steps: []\n`,
  ).join('')}`,
  '.github/chainbreak.yml': `ignore:\n${LINKS.map((link) => `  - { rule: ${JSON.stringify(link)}, reason: x }\n`).join('')}`,
};

describe('the Markdown report of a hostile repository', () => {
  it.each(['all', 'slsa-build-l3', 'slsa-source-l3'])('is markup of ours alone, with ruleset %s', async (ruleset) => {
    const flags = ['--format', 'markdown', '--ruleset', ruleset];
    for (const files of [HOSTILE_REPOSITORIES, LINKING]) {
      const { stdout } = await runCli(['scan', temporaryFolder(files), ...flags]);
      const html = render(stdout);
      const tags = [...html.matchAll(/<\/?([\w-]+)([^>]*)>/g)].filter(
        ([, tag = '', attributes]) => !TAGS.has(tag) || !ATTRIBUTES.test(attributes ?? ''),
      );
      expect(tags.map(([tag]) => tag)).toEqual([]);
      expect(html).not.toContain('<!--');
      const headings = [...html.matchAll(/<h[12]>(.*?)<\/h[12]>/g)].map(([, text = '']) => text);
      expect(headings.filter((text) => !OUR_HEADINGS.test(text))).toEqual([]);
    }
  });

  it('shows each message as it is, and mentions nobody, no issue and no commit', async () => {
    const folder = temporaryFolder(LINKING);
    const { findings, diagnostics } = JSON.parse((await runCli(['scan', folder, '--format', 'json'])).stdout) as {
      findings: { description: string; severity: string }[];
      diagnostics: { message: string }[];
    };
    const listed = findings.filter(({ severity }) => severity !== 'INFO');
    const messages = [...listed.map(({ description }) => description), ...diagnostics.map(({ message }) => message)];
    expect(LINKS.filter((link) => !messages.some((message) => message.includes(link)))).toEqual([]);
    const text = textOf(render((await runCli(['scan', folder, '--format', 'markdown'])).stdout));
    for (const message of messages) expect(text.replaceAll('\u200B', '')).toContain(message);
    expect(text.replaceAll('\u200B', '')).toMatch(REFERENCES);
    expect(text).not.toMatch(REFERENCES);
  });
});

interface SarifLocation {
  readonly message?: { readonly text: string };
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
}

interface SarifRun {
  readonly invocations?: readonly { toolExecutionNotifications: SarifResult[] }[];
  readonly results: SarifResult[];
}

interface SarifResult {
  readonly message: { readonly text: string };
  readonly locations?: SarifLocation[];
  readonly relatedLocations?: SarifLocation[];
  readonly suppressions?: { justification: string }[];
}

/** Embedded links as section 3.11.6 defines them, outside escaped brackets. */
const EMBEDDED_LINK = /(?<!\\)\[(?:[^[\]\\]|\\[^])+\]\([^)]*\)/;

describe('the SARIF log of a hostile repository', () => {
  it.each(['scan', 'paths'])(
    'of %s has messages of one line without links, and addresses of files',
    async (command) => {
      const entries = await Promise.all(
        [HOSTILE_REPOSITORIES, LINKING].map(async (files) => {
          const { stdout } = await runCli([command, temporaryFolder(files), '--format', 'sarif']);
          return (JSON.parse(stdout) as { runs: SarifRun[] }).runs;
        }),
      );
      const results = entries
        .flat()
        .flatMap(({ results: own, invocations = [] }) => [
          ...own,
          ...invocations.flatMap(({ toolExecutionNotifications }) => toolExecutionNotifications),
        ]);
      const locations = results.flatMap(({ locations: own = [], relatedLocations = [] }) => [
        ...own,
        ...relatedLocations,
      ]);
      const messages = [
        ...results.map(({ message }) => message.text),
        ...locations.flatMap(({ message }) => message?.text ?? []),
      ];
      const reasons = results.flatMap(({ suppressions = [] }) =>
        suppressions.map(({ justification }) => justification),
      );
      expect(messages.length).toBeGreaterThan(50);
      for (const text of [...messages, ...reasons]) {
        expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/u);
      }
      for (const text of messages) expect(text).not.toMatch(EMBEDDED_LINK);
      const paths = new Set([...Object.keys(HOSTILE_REPOSITORIES), ...Object.keys(LINKING)]);
      for (const { physicalLocation } of locations) {
        const { uri } = physicalLocation.artifactLocation;
        expect(uri).toMatch(/^[\w.~!*'()%/-]*$/);
        expect(new URL(uri, 'https://src.example/').origin).toBe('https://src.example');
        const path = decodeURIComponent(uri);
        if (path.endsWith('.yml')) expect(paths).toContain(path);
      }
    },
  );

  it('shows brackets that make no link as they are', async () => {
    const name = 'types: [x] \\d';
    const config = `ignore: [{ rule: ${JSON.stringify(name)}, reason: x }, { rule: '[a](/b) \\', reason: x }]\n`;
    const folder = temporaryFolder({
      '.github/workflows/a.yml': 'on: push\njobs: {}\n',
      '.github/chainbreak.yml': config,
    });
    const { stdout } = await runCli(['scan', folder, '--format', 'sarif']);
    const [run] = (JSON.parse(stdout) as { runs: SarifRun[] }).runs;
    const texts = run?.invocations?.[0]?.toolExecutionNotifications.map(({ message }) => message.text);
    expect(texts).toContain(`There is no rule "${name}".`);
    expect(texts).toContain('There is no rule "\\[a\\](/b) \\\\".');
  });
});
