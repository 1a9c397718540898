import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const documents = ['.github', 'docs', 'lib', 'tests']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  )
  .concat('README.md', 'CHANGELOG.md');

const CITED = /`((?:app|docs|lib|supabase|tests)\/[\w./@[\]-]+)`/g;
const LINKED = /\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g;

it.each(documents)('%s cites only files that exist', (document) => {
  const text = readFileSync(document, 'utf8').replace(/^```[^]*?^```/gm, '');
  const linked = [...text.matchAll(LINKED)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => join(dirname(document), target));
  const cited = [...text.matchAll(CITED)].map(([, path = '']) => path);
  expect([...linked, ...cited].filter((path) => !existsSync(path))).toEqual([]);
});
