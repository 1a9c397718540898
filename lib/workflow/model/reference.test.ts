import { expect, it } from 'vitest';
import { isFullSha, parseImage, parseReference } from './reference.ts';

it.each([
  ['actions/checkout@v4', { kind: 'repository', slug: 'actions/checkout', path: '', ref: 'v4', refStart: 17 }],
  [
    'Actions/Cache/restore@main',
    { kind: 'repository', owner: 'Actions', slug: 'actions/cache', path: 'restore', ref: 'main' },
  ],
  ['a/b/.github/workflows/x.yml@v1', { kind: 'repository', path: '.github/workflows/x.yml' }],
  ['a/b', { kind: 'repository', ref: '' }],
  ['./.github/actions/x', { kind: 'local', path: '.github/actions/x', form: './' }],
  ['./a/../b', { kind: 'local', path: 'b' }],
  ['$/.github/actions/x', { kind: 'local', path: '.github/actions/x', form: '$/' }],
  [
    'docker://ghcr.io/a/b:1.2@sha256:abc',
    { kind: 'docker', image: { name: 'ghcr.io/a/b', tag: '1.2', digest: 'sha256:abc' } },
  ],
])('reads %s', (text, expected) => {
  expect(parseReference(text)).toMatchObject(expected);
});

it.each(['checkout', '${{ inputs.action }}', ''])('reads nothing from "%s"', (text) => {
  expect(parseReference(text)).toBeUndefined();
});

it('treats a colon before the last slash of an image as a port', () => {
  expect(parseImage('localhost:5000/app')).toMatchObject({ name: 'localhost:5000/app', tag: undefined });
  expect(parseImage('localhost:5000/app:1')).toMatchObject({ name: 'localhost:5000/app', tag: '1' });
});

it('requires 40 or 64 hexadecimal digits for a commit', () => {
  expect([40, 64, 39, 41, 7].map((length) => isFullSha('a'.repeat(length)))).toEqual([true, true, false, false, false]);
});
