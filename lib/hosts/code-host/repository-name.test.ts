import { expect, it } from 'vitest';
import { parseRepositoryName } from './repository-name.ts';

const WEB = 'https://github.com';

it.each([
  'octo/My.repo-1',
  ' octo/My.repo-1 ',
  'octo/My.repo-1/',
  'octo/My.repo-1.git',
  'https://github.com/octo/My.repo-1',
  'HTTPS://GitHub.com/octo/My.repo-1.git',
  'http://www.github.com/octo/My.repo-1/',
  'https://github.com/octo/My.repo-1/tree/main/lib?tab=readme#top',
  'https://github.com/octo/My.repo-1?tab=readme',
  'github.com/octo/My.repo-1/actions',
  'git@github.com:octo/My.repo-1.git',
  'ssh://git@github.com/octo/My.repo-1.git',
  'git+https://github.com/octo/My.repo-1.git',
])('reads %s', (input) => {
  expect(parseRepositoryName(input, WEB)).toEqual({ owner: 'octo', name: 'My.repo-1' });
});

it.each([
  '',
  'octo',
  'octo/',
  '/octo/repo',
  'octo/repo/tree/main',
  '../repo',
  'octo/..',
  './lib',
  '-octo/repo',
  'octo/re po',
  'octo\\repo',
  'https://gitlab.com/octo/repo',
  'https://github.com.evil.example/octo/repo',
  'https://github.com@evil.example/octo/repo',
  'https://evil.example/github.com/octo/repo',
  'https://user:secret@github.com/octo/repo',
  'git@gitlab.com:octo/repo.git',
  'file:///octo/repo',
  'javascript://github.com/octo/repo',
  'https://github.com/octo',
  'https://github.com//octo/repo',
  `octo/${'x'.repeat(101)}`,
  'x'.repeat(2_000),
])('refuses %j', (input) => {
  expect(parseRepositoryName(input, WEB)).toBeUndefined();
});

it('supports a host with and without a port', () => {
  const local = 'http://127.0.0.1:4100';
  expect(parseRepositoryName('http://127.0.0.1:4100/octo/repo', local)).toEqual({ owner: 'octo', name: 'repo' });
  expect(parseRepositoryName('git@127.0.0.1:octo/repo.git', local)).toEqual({ owner: 'octo', name: 'repo' });
  expect(parseRepositoryName('http://127.0.0.1:4101/octo/repo', local)).toBeUndefined();
});
