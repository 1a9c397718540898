import { describe, expect, it } from 'vitest';
import { readSignals } from '../evaluate.ts';
import type { CollectedFacts } from '../facts.ts';
import { FLAWLESS } from '../flawless.ts';
import { advisoriesFrom, knownAdvisories, mergeAdvisories, type PublishedAdvisory } from './known-advisories.ts';

const TJ: PublishedAdvisory = {
  ghsa_id: 'GHSA-mrrh-fwg8-r2c3',
  type: 'reviewed',
  severity: 'high',
  published_at: '2025-03-15T06:00:00Z',
  withdrawn_at: null,
  cwes: [{ cwe_id: 'CWE-506' }],
  vulnerabilities: [
    { package: { name: 'tj-actions/changed-files' }, vulnerable_version_range: '<= 45.0.7' },
    { package: { name: 'other/action' }, vulnerable_version_range: '< 1' },
  ],
};

describe('published advisories', () => {
  it('become malware by their type or weakness, for the repository they name', () => {
    expect(advisoriesFrom(TJ, 'TJ-Actions', 'changed-files')).toEqual([
      {
        id: 'GHSA-mrrh-fwg8-r2c3',
        kind: 'malware',
        severity: 'high',
        publishedAt: '2025-03-15T06:00:00Z',
        path: '',
        ranges: ['<= 45.0.7'],
      },
    ]);
    expect(advisoriesFrom({ ...TJ, cwes: [], severity: 'medium' }, 'tj-actions', 'changed-files')).toMatchObject([
      { kind: 'vulnerability', severity: 'moderate' },
    ]);
    expect(advisoriesFrom({ ...TJ, withdrawn_at: '2025-04-01T00:00:00Z' }, 'tj-actions', 'changed-files')).toEqual([]);
    expect(advisoriesFrom(TJ, 'acme', 'tool')).toEqual([]);
  });

  it('are completed by the tables of this release, in either order', () => {
    const own = knownAdvisories('tj-actions', 'changed-files').filter(({ id }) => id === TJ.ghsa_id);
    const fetched = advisoriesFrom(TJ, 'tj-actions', 'changed-files');
    for (const merged of [mergeAdvisories([...own, ...fetched]), mergeAdvisories([...fetched, ...own])]) {
      expect(merged).toMatchObject([
        { kind: 'malware', commits: ['0e58ed8671d6b60d0890c21b07f8835ace038e67'], ranges: ['<= 45.0.7'] },
      ]);
    }
  });
});

describe('tj-actions/changed-files after the advisory', () => {
  const at = (commit: string, asOf: string): Record<string, string> => {
    const facts: CollectedFacts = {
      ...FLAWLESS,
      asOf,
      action: { owner: 'tj-actions', name: 'changed-files', path: '', commit, repositoryId: 1, ownerId: 2 },
      refs: { value: { tags: [{ name: 'v45.0.7', commit }], branches: [] } },
      observations: { unknown: 'no_history' },
      advisories: { value: advisoriesFrom(TJ, 'tj-actions', 'changed-files') },
    };
    return Object.fromEntries(
      readSignals(facts).flatMap(({ id, state }) => (/malware|compromised/.test(id) ? [[id, state]] : [])),
    );
  };

  it('the hijacked commit is malware', () => {
    expect(at('0e58ed8671d6b60d0890c21b07f8835ace038e67', '2025-03-16T00:00:00Z')).toMatchObject({
      'malware-this-commit': 'present',
    });
  });

  it('the true commit of a release in the range is not: another version was compromised', () => {
    const clean = 'dcc7a0cba800f454d79fff4b993e8c3555bcc0a8';
    expect(at(clean, '2025-05-15T00:00:00Z')).toEqual({
      'malware-this-commit': 'absent',
      'malware-mapping-unknown': 'absent',
      'compromised-365d': 'present',
      'compromised-older': 'absent',
    });
    expect(at(clean, '2026-05-15T00:00:00Z')).toMatchObject({
      'compromised-365d': 'absent',
      'compromised-older': 'present',
    });
  });

  it('nothing is known of it before', () => {
    expect(at('0e58ed8671d6b60d0890c21b07f8835ace038e67', '2025-03-01T00:00:00Z')).toMatchObject({
      'malware-this-commit': 'absent',
      'compromised-365d': 'absent',
    });
  });
});
