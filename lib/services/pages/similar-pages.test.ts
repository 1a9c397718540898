import { describe, expect, it } from 'vitest';
import type { Services } from '../context.ts';
import { findSimilarPages } from './similar-pages.ts';

const withoutDatabase = { env: { database: null } } as Services;
const DOCS = [
  { path: '/docs/install', label: 'Install' },
  { path: '/harden', label: 'Harden a workflow' },
];

async function pathsFor(path: string): Promise<readonly string[]> {
  return (await findSimilarPages(withoutDatabase, path, DOCS)).map((page) => page.path);
}

describe('pages like a mistyped address', () => {
  it.each([
    ['/rules/template-injektion', '/rules/template-injection'],
    ['/rules/TEMPLATE_INJECTION', '/rules/template-injection'],
    ['/rule/artipaked', '/rules/artipacked'],
    ['/attack-paths/forged-pins', '/attack-paths/forged-pin'],
    ['/docs/instal', '/docs/install'],
    ['/hardn', '/harden'],
  ])('%s: %s comes first', async (typed, wanted) => {
    expect((await pathsFor(typed))[0]).toBe(wanted);
  });

  it('are at most five, and none for what resembles nothing', async () => {
    expect((await pathsFor('/rules/unpinned')).length).toBeLessThanOrEqual(5);
    for (const path of ['/', '', '/nothing/here', '/wp-login.php', `/${'a'.repeat(10_000)}`, '/%00', '/../..'])
      expect(await pathsFor(path), path).toEqual([]);
  });
});
