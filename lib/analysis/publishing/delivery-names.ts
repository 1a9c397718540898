import type { Job } from '#lib/workflow/model/model.ts';

/** Names of jobs whose scripts may deliver something in ways that are not known. */
const DELIVERY =
  /(?:^|[^a-z])(?:pre)?(?:releas|publish|deploy|deliver|promot|upload|ship|stag|nightl|provision|terraform|infra|sign)|(?:^|[^a-z])(?:cd|prod(?:uction)?)(?![a-z])/i;

export function isNamedAfterDelivery(named: Job | string): boolean {
  if (typeof named === 'string') return DELIVERY.test(named);
  const { source, name } = named.workflow;
  const names = [source.path.split('/').at(-1) ?? '', name?.value ?? '', named.id, named.name?.value ?? ''];
  return names.some((each) => DELIVERY.test(each));
}
