import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { visible } from '#lib/report/visible.ts';
import { CodeSnippet } from '../../app/components/domain/code-snippet.tsx';
import { RuleText } from '../../app/components/domain/rule-text.tsx';

const draw = (code: string, more: Partial<Parameters<typeof CodeSnippet>[0]> = {}) =>
  renderToStaticMarkup(createElement(CodeSnippet, { label: 'ci.yml', code, ...more }));

function linesOf(html: string): string[] {
  const [, code = ''] = /<code[^>]*>(.*)<\/code>/s.exec(html) ?? [];
  return code
    .split(/(?=<span class="code-line)/)
    .map((line) => line.replace(/<[^>]*>/g, '').replace(/\n$/, ''))
    .map((line) =>
      line
        .replaceAll('&#x27;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    );
}

const YAML = `on: push # "quoted"
jobs:
  a: &anchor
    steps:
      - run: |
          echo "\${{ github.event.issue.title }}"
          exit 1
      - uses: 'a/b@v1'
`;

describe('a snippet', () => {
  it('shows every character of the code, highlighted', () => {
    const html = draw(YAML);
    expect(linesOf(html)).toEqual(YAML.trimEnd().split('\n'));
    for (const token of ['tok-key', 'tok-string', 'tok-comment', 'tok-anchor']) expect(html).toContain(token);
  });

  it('is never markup, and hides nothing', () => {
    const hostile = 'run: <script>alert(1)</script>\u202E "x" \u200B\u0000\n\tindented & odd: [unclosed\r\n\u2028end';
    const html = draw(hostile);
    expect(html).not.toContain('<script');
    expect(html).not.toMatch(/[\u0000\u200B\u2028\u202E\r\t]/);
    expect(linesOf(html)).toEqual(visible(hostile.replaceAll('\r\n', '\n')).split('\n'));
  });

  it('labels marked, added and removed lines for screen readers', () => {
    const text = draw('a: 1\nb: 2\nc: 3\nd: 4\n', { marked: [1], removed: [2], added: [3] });
    expect(linesOf(text)).toEqual(['Marked line: a: 1', '-Removed: b: 2', '+Added: c: 3', 'd: 4']);
    expect(linesOf(draw('a: 1\n', { marked: [1] }))).toEqual(['Marked line: a: 1']);
  });

  it('needs no style attribute, which the policy forbids', () => {
    expect(draw(YAML, { added: [1] })).not.toContain('style=');
  });

  it('of plain text has no colours', () => {
    expect(draw('on: push\n\n# no comment\n', { language: 'text' })).not.toContain('tok-');
    expect(linesOf(draw('one\n\nthree\n', { language: 'text' }))).toEqual(['one', '', 'three']);
  });
});

describe('a sentence of a rule', () => {
  it('shows text in backticks as code, and nothing as markup', () => {
    const html = renderToStaticMarkup(createElement(RuleText, { text: 'Set `a: <b>` and `c`, not <i>.' }));
    expect(html).toBe('Set <code>a: &lt;b&gt;</code> and <code>c</code>, not &lt;i&gt;.');
  });

  it('spells out hidden characters of a repository', () => {
    const html = renderToStaticMarkup(createElement(RuleText, { text: 'x\u202E `\u3164`' }));
    expect(html).toBe('x&lt;U+202E&gt; <code>&lt;U+3164&gt;</code>');
  });
});
