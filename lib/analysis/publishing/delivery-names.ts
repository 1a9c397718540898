import type { Job } from '#lib/workflow/model/model.ts';

const MAY_DELIVER =
  /(?:^|[^a-z])(?:pre)?(?:releas|publish|deploy|deliver|promot|upload|ship|stag|nightl|provision|terraform|infra|sign)|(?:^|[^a-z])(?:cd|prod(?:uction)?)(?![a-z])/i;

export function isNamedAfterDelivery(named: Job | string): boolean {
  if (typeof named === 'string') return MAY_DELIVER.test(named);
  const { source, name } = named.workflow;
  const names = [source.path.split('/').at(-1) ?? '', name?.value ?? '', named.id, named.name?.value ?? ''];
  return names.some((each) => MAY_DELIVER.test(each));
}
