import { readdirSync, readFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { pageOf, renderMarkdown } from '#lib/tools/render-markdown.mjs';
import * as docPage from '../../app/(site)/docs/[slug]/page.tsx';
import { DOC_GROUPS, DOC_PAGES } from '../../app/components/docs/catalog.ts';
import { DocBody } from '../../app/components/docs/doc-body.tsx';
import { searchDocs } from '../../app/components/docs/search.ts';
import { expectSound } from '../support/expect-page.ts';
import { textOf } from '../support/html.ts';

const render = async (slug: string) =>
  renderToStaticMarkup(await docPage.default({ params: Promise.resolve({ slug }) }));
const html = new Map(await Promise.all(DOC_PAGES.map(async ({ slug }) => [slug, await render(slug)] as const)));

const STATIC = ['/', '/docs', '/docs/api', '/rules', '/attack-paths', '/actions', '/actions/methodology', '/problems'];
const known = new Set([
  ...STATIC,
  ...DOC_PAGES.map(({ slug }) => `/docs/${slug}`),
  ...rules.map(({ id }) => `/rules/${id}`),
  ...combos.map(({ id }) => `/attack-paths/${id}`),
]);

describe('the documentation on the site', () => {
  it('has every file of docs, except those that have pages of another kind', () => {
    const files = readdirSync('docs').filter((name) => name.endsWith('.md'));
    const shown = files.map((name) => pageOf(name)).filter((path) => path?.startsWith('/docs/'));
    expect(new Set(DOC_PAGES.map(({ slug }) => `/docs/${slug}`))).toEqual(new Set(shown));
    expect(files.filter((name) => !pageOf(name)?.startsWith('/docs/'))).toEqual(['paths.md', 'rules.md']);
    expect(new Set(DOC_PAGES.map(({ title }) => title)).size).toBe(DOC_PAGES.length);
  });

  it.each(DOC_PAGES.map(({ slug, title }) => [slug, title] as const))('%s has no dead link', (slug, title) => {
    const page = html.get(slug) ?? '';
    const links = [...page.matchAll(/href="(\/[^"#]*|)(#[^"]*)?"/g)].map(([, path = '', anchor = '']) => ({
      path,
      anchor,
    }));
    expect(links.length, title).toBeGreaterThan(10);
    const dead = links.filter(({ path, anchor }) => {
      if (path !== '' && !known.has(path)) return true;
      const target = path === '' ? page : html.get(path.replace('/docs/', ''));
      return anchor !== '' && target !== undefined && !target.includes(`id="${anchor.slice(1)}"`);
    });
    expect(dead).toEqual([]);
  });

  it.each(DOC_PAGES.map(({ slug }) => slug))(
    '%s is sound, complete and has a linked heading for each of its own',
    (slug) => {
      const page = html.get(slug) ?? '';
      expectSound(page);
      const source = readFileSync(`docs/${slug === 'using-the-api' ? 'api' : slug}.md`, 'utf8');
      const headings = [...source.replace(/^```[^]*?^```/gm, '').matchAll(/^## (.+)$/gm)].map(
        ([, heading = '']) => heading,
      );
      for (const heading of headings) expect(textOf(page)).toContain(heading.replaceAll('`', ''));
      expect(page.match(/<h2 id="/g)?.length ?? 0).toBeGreaterThanOrEqual(headings.length);
      const blocks = source.match(/^ *```\w+$/gm) ?? [];
      expect(page.match(/<figure/g)?.length ?? 0).toBe(blocks.length);
    },
  );

  it('lists each page once, in groups', () => {
    expect(DOC_GROUPS.flatMap(({ pages }) => pages)).toEqual(DOC_PAGES);
    for (const { links = [] } of DOC_GROUPS) for (const { href } of links) expect(known, href).toContain(href);
  });
});

describe('rendered Markdown', () => {
  const show = (markdown: string) =>
    renderToStaticMarkup(createElement(DocBody, { tree: renderMarkdown(markdown).tree }));

  it('drops HTML and dangerous links', () => {
    const page = show(
      'a <script>alert(1)</script> <img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))\n\n<b>c</b>',
    );
    expect(page).not.toMatch(/<script|<img|<b>|javascript:/);
  });

  it('turns links between files into links between pages, and leaves out what is no page', () => {
    expect(pageOf('fixes.md#safe')).toBe('/docs/fixes#safe');
    expect(pageOf('api.md')).toBe('/docs/using-the-api');
    expect(pageOf('rules.md')).toBe('/rules');
    expect(pageOf('../.env.example')).toBeUndefined();
    expect(show('[a](../x.ts) [b](ci.md)')).not.toContain('x.ts');
  });

  it('offers to copy each block of code as it stands', () => {
    const page = show('```sh\na --b "$C"\n```\n');
    expect(textOf(page)).toContain('a --b "$C"');
    expect(page).toContain('Shell');
  });
});

describe('the search', () => {
  it('finds parts by their words and leads to their heading', () => {
    expect(searchDocs('sarif upload')[0]?.href).toBe('/docs/ci#github-with-code-scanning');
    expect(searchDocs('baseline').length).toBeGreaterThan(2);
    expect(searchDocs('suppres').some(({ page }) => page === 'Configuration')).toBe(true);
  });

  it('finds nothing for nothing, and at most twenty', () => {
    expect(searchDocs('')).toEqual([]);
    expect(searchDocs('xyzzyq')).toEqual([]);
    expect(searchDocs('the').length).toBeLessThanOrEqual(20);
  });
});
