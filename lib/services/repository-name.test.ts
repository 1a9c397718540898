import { describe, expect, it } from 'vitest';
import { parseRepositoryInput } from './repository-name.ts';

const read = (input: string, webUrl = 'https://github.com') => {
  const found = parseRepositoryInput(input, webUrl);
  return found === undefined ? undefined : `${found.owner}/${found.name}`;
};

describe('a repository as people paste it', () => {
  it.each([
    'acme/web.app',
    ' acme/web.app ',
    'acme/web.app/',
    'acme/web.app.git',
    'https://github.com/acme/web.app',
    'HTTPS://GitHub.com/acme/web.app',
    'http://github.com/acme/web.app.git',
    'https://www.github.com/acme/web.app/',
    'https://github.com/acme/web.app/tree/main/src?tab=readme#top',
    'https://github.com/acme/web.app?x=1',
    'https://user@github.com/acme/web.app',
    'github.com/acme/web.app',
    'git@github.com:acme/web.app.git',
    'ssh://git@github.com/acme/web.app.git',
    'git://github.com/acme/web.app.git',
  ])('%s', (input) => {
    expect(read(input)).toBe('acme/web.app');
  });

  it('an Enterprise Server counts by its host and port', () => {
    expect(read('http://127.0.0.1:4000/acme/web', 'http://127.0.0.1:4000')).toBe('acme/web');
    expect(read('http://127.0.0.1:4001/acme/web', 'http://127.0.0.1:4000')).toBeUndefined();
  });

  it.each([
    '',
    'acme',
    '/',
    'acme/',
    '/web',
    'acme/web/tree/main',
    'https://gitlab.com/acme/web',
    'https://github.com.evil.example/acme/web',
    'https://evil.example/github.com/acme/web',
    'https://github.com@evil.example/acme/web',
    'https://github.com/acme',
    'git@gitlab.com:acme/web.git',
    'acme/..',
    'acme/.',
    '../web',
    'ac me/web',
    '-acme/web',

    'acme/we b',
    `${'a'.repeat(40)}/web`,
    `acme/${'w'.repeat(101)}`,
    'javascript:acme/web',
  ])('not %s', (input) => {
    expect(read(input)).toBeUndefined();
  });
});
