import { joinFirst } from '#lib/workflow/text/join-list.ts';

export function jobNames(ids: readonly string[], count = 3): string {
  return `${ids.length === 1 ? 'the job' : 'the jobs'} ${joinFirst(ids, count)}`;
}
