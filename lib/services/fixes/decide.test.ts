import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BranchHead, FixBranch, FoundPull } from '#lib/hosts/code-host/port.ts';
import { decide, type Wanted } from './decide.ts';

const DIGEST = 'd'.repeat(32);
const MESSAGE = `ci: fix\n\nChainbreak-Fix: ${DIGEST}`;
const TEXT = 'fixed ü\n';
const BLOB = createHash('sha1')
  .update(`blob ${Buffer.byteLength(TEXT)}\0${TEXT}`)
  .digest('hex');
const WANTED: Wanted = {
  appLogin: 'breaker',
  defaultBranch: 'main',
  text: TEXT,
  digest: DIGEST,
  reopenDeclined: false,
};
const OURS: BranchHead = { commit: 'c1', message: MESSAGE, author: 'breaker[bot]', commitsAhead: 1 };
const PULL: FoundPull = {
  id: 'p',
  number: 7,
  url: '',
  state: 'open',
  author: 'breaker',
  base: 'main',
  openedAt: '',
  message: MESSAGE,
};

function decided(found: Partial<FixBranch>, wanted: Partial<Wanted> = {}) {
  const branch: FixBranch = {
    file: 'a.yml',
    branch: 'b',
    head: undefined,
    blobId: undefined,
    preparedBranch: 'b-next',
    preparedHead: undefined,
    pulls: [],
    ...found,
  };
  const step = decide(branch, { ...WANTED, ...wanted });
  return step.kind === 'skip' ? `skip: ${step.reason}` : step;
}

describe('the next step', () => {
  it('is to create branch, commit and pull request where nothing is, or only a branch without commits', () => {
    expect(decided({})).toEqual({ kind: 'create', from: undefined });
    expect(decided({ head: { ...OURS, author: 'ada', message: '', commitsAhead: 0 } })).toEqual({
      kind: 'create',
      from: 'c1',
    });
  });

  it('is to open the pull request if the commit is there and has the text, else to make the commit again', () => {
    expect(decided({ head: OURS, blobId: BLOB })).toEqual({ kind: 'open' });
    expect(decided({ head: OURS, blobId: 'old' })).toEqual({ kind: 'create', from: 'c1' });
  });

  it('is to reuse an open pull request with the text, and to replace the commit of another', () => {
    expect(decided({ head: OURS, blobId: BLOB, pulls: [PULL] })).toEqual({ kind: 'reuse', pull: PULL });
    const preparedHead = { ...OURS, commit: 'c2' };
    expect(decided({ head: OURS, blobId: 'old', pulls: [PULL], preparedHead })).toEqual({
      kind: 'replace',
      pull: PULL,
      from: 'c1',
      prepared: 'c2',
    });
  });

  it.each([
    ['a commit by a person', { ...OURS, author: 'ada' }],
    ['a commit by a person below ours', { ...OURS, commitsAhead: 2 }],
    ['a commit by the app that is no fix', { ...OURS, message: 'ci: other' }],
    ['an unknown history', { ...OURS, commitsAhead: null }],
  ])('leaves a branch alone that has %s', (_, head) => {
    expect(decided({ head, blobId: 'old' })).toMatch(/^skip: Somebody pushed to the branch b/);
    expect(decided({ head, blobId: 'old', pulls: [PULL] })).toMatch(/^skip: Somebody pushed to the branch b/);
    expect(decided({ head: OURS, blobId: 'old', pulls: [PULL], preparedHead: head })).toMatch(/^skip: Somebody pushed/);
  });

  it('leaves a branch alone from which a person opened a pull request', () => {
    expect(decided({ head: OURS, blobId: BLOB, pulls: [{ ...PULL, author: 'ada' }] })).toMatch(/^skip: Somebody else/);
  });

  it('does not propose a fix again that was declined, unless asked', () => {
    const pulls = [{ ...PULL, state: 'closed' as const }];
    expect(decided({ pulls })).toMatch(/^skip: Pull request #7/);
    expect(decided({ pulls }, { reopenDeclined: true })).toEqual({ kind: 'create', from: undefined });
    expect(decided({ pulls }, { digest: 'e'.repeat(32) })).toEqual({ kind: 'create', from: undefined });
    expect(decided({ pulls: [{ ...PULL, state: 'closed', author: 'ada' }] })).toEqual({
      kind: 'create',
      from: undefined,
    });
  });
});
