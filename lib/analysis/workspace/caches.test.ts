import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { cacheWritingEvent } from './caches.ts';

const PULL = '"refs/pull/${{ github.event.client_payload.number }}/merge"';

function eventOf(on: string, condition: string, job = ''): string | undefined {
  const text = `on: ${on}
jobs:
  test:
    runs-on: ubuntu-latest
${job}    steps:
      - if: ${condition}
        uses: actions/checkout@v5
        with: { ref: ${PULL} }
      - run: npm ci
`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return cacheWritingEvent(repository.workflows[0]?.jobs[0] as Job, repository);
}

describe('the event on which pull request code can write shared caches', () => {
  it.each([
    [
      '[workflow_dispatch, repository_dispatch]',
      "github.event_name == 'repository_dispatch'",
      '',
      'repository_dispatch',
    ],
    ['[push, workflow_dispatch]', "github.event_name != 'push'", '', 'workflow_dispatch'],
    ['[schedule, push]', 'true', "    if: github.event_name == 'push'\n", 'push'],
    ['[push, schedule]', 'success()', '', 'push'],
  ])('of %s is one that the condition %s allows', (on, condition, job, event) => {
    expect(eventOf(on, condition, job)).toBe(event);
  });

  it('does not exist if the conditions leave only events that cannot write them', () => {
    expect(eventOf('[push, merge_group]', "github.event_name == 'merge_group'")).toBeUndefined();
    expect(eventOf('[push, workflow_dispatch]', 'true', '    if: false\n')).toBeUndefined();
  });
});
