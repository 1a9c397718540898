import { joinFirst } from '#lib/workflow/text/join-list.ts';

/** Names jobs by their ids: `the job a`, `the jobs a, b, c and 2 more`. */
export function jobNames(ids: readonly string[], count = 3): string {
  return `${ids.length === 1 ? 'the job' : 'the jobs'} ${joinFirst(ids, count)}`;
}
