import { describe, expect, it } from 'vitest';
import type { RankedAction } from '#lib/db/shapes/actions.ts';
import { joinActions, shownActions } from './use-actions.ts';

function ranked(name: string, score: number, band: RankedAction['band'], used_by_repos = 1): RankedAction {
  const finding_counts = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
  return { owner: 'Acme', name, score, band, sha: 'a'.repeat(40), scored_at: '', used_by_repos, finding_counts };
}

const actions = joinActions(
  [ranked('worst', 20, 'F'), ranked('best', 95, 'A', 3)],
  [
    { owner: 'acme', name: 'WORST', repositories: 1 },
    { owner: 'acme', name: 'unknown', repositories: 5 },
  ],
);
const names = (filters: Partial<Parameters<typeof shownActions>[1]>) =>
  shownActions(actions, { q: '', band: null, sort: 'score', ...filters }).map(({ name }) => name);

describe('the actions of an organization', () => {
  it('are the scored ones and those without a score, each once, whatever the case of its name', () => {
    expect(names({})).toEqual(['worst', 'best', 'unknown']);
  });

  it('are found by a part of the name and by band, also by having no score', () => {
    expect(names({ q: ' acme/B' })).toEqual(['best']);
    expect(names({ band: 'F' })).toEqual(['worst']);
    expect(names({ band: 'none' })).toEqual(['unknown']);
  });

  it('are sorted by use or name too', () => {
    expect(names({ sort: 'used' })).toEqual(['unknown', 'best', 'worst']);
    expect(names({ sort: 'name' })).toEqual(['best', 'unknown', 'worst']);
  });

  it('do not count as unscored beside a ranking that is full', () => {
    const full = Array.from({ length: 500 }, (_, index) => ranked(`a${index}`, 50, 'D'));
    expect(joinActions(full, [{ owner: 'acme', name: 'unknown', repositories: 2 }])).toHaveLength(500);
  });
});
