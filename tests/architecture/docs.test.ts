import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';

const pages = [
  'README.md',
  ...pagesBelow('docs'),
  ...pagesBelow('.github'),
  'editors/vscode/README.md',
  ...pagesBelow('lib').filter((path) => path.endsWith('/README.md') && !path.startsWith('lib/simulator/demo/')),
];

const PATH = /^(?:app|lib|tests|supabase|docs|\.ci)\/[\w./@[\]-]+$/;
const ROUTE = /(?<![\w/])(?:\$WEB_URL|https:\/\/<your address>)?(\/api\/[^\s`"'|?)#,;]+)/g;
const routes = OPERATIONS.map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'));
}

function citedPaths(page: string, text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.replace(/:\d+$/, ''));
  const links = [...text.matchAll(/\]\((?![a-z]+:|#|\/)([^)\s#]+)/g)].map(([, link = '']) =>
    normalize(join(dirname(page), link)),
  );
  return [...spans.filter((span) => PATH.test(span)), ...links];
}

function citedRoutes(text: string): string[] {
  return [...text.matchAll(ROUTE)].map(([, route = '']) => route.replace(/[.:*]+$/, ''));
}

describe('documentation', () => {
  it('covers the pages of the repository', () => {
    expect(pages).toContain('docs/deploy.md');
    expect(pages).toContain('lib/README.md');
    expect(pages.flatMap((page) => citedPaths(page, readFileSync(page, 'utf8'))).length).toBeGreaterThan(30);
    expect(pages.flatMap((page) => citedRoutes(readFileSync(page, 'utf8'))).length).toBeGreaterThan(10);
  });

  it.each(pages)('%s cites only files and folders that exist', (page) => {
    const cited = citedPaths(page, readFileSync(page, 'utf8'));
    expect(cited.filter((path) => !existsSync(path))).toEqual([]);
  });

  it.each(pages)('%s cites only routes of the API', (page) => {
    const cited = citedRoutes(readFileSync(page, 'utf8'));
    expect(cited.filter((route) => !routes.some((pattern) => pattern.test(route)))).toEqual([]);
  });
});
