import type { Organization } from '#lib/db/shapes/organizations.ts';

const LAST_ORG = 'chainbreak.org';

export function rememberOrg(id: string): void {
  localStorage.setItem(LAST_ORG, id);
}

export function lastOrg(orgs: readonly Organization[]): Organization | undefined {
  const last = localStorage.getItem(LAST_ORG);
  return orgs.find(({ id }) => id === last) ?? orgs.find(({ personal }) => personal) ?? orgs[0];
}
