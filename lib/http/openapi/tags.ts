/** What paths are about, for the reference: the first that fits. */
const AREAS: readonly (readonly [RegExp, string])[] = [
  [/\/rule-overrides|^\/api\/rule/, 'Rules'],
  [/^\/api\/attack-paths|\/combos$/, 'Attack paths'],
  [/^\/api\/(?:public-|badge\/)/, 'Public scans'],
  [/^\/api\/(?:public\/)?actions/, 'Marketplace actions'],
  [/^\/api\/public\/harden/, 'Hardener'],
  [/^\/api\/(?:repos|scan|repositories)(?:\/|$)/, 'Repositories'],
  [/^\/api\/(?:orgs|invites)/, 'Organizations'],
  [/^\/api\/campaigns/, 'Campaigns'],
  [/^\/api\/notification-settings/, 'Notifications'],
  [/^\/api\/(?:scm|webhooks)\//, 'Code host'],
  [/^\/api\/cron\//, 'Scheduled jobs'],
  [/^\/(?:api\/(?:health|capabilities)|openapi\.)/, 'Service'],
];

export const OTHER_AREA = 'Other';

/** The heading that an operation stands under, by its path. */
export function areaOf(path: string): string {
  return AREAS.find(([pattern]) => pattern.test(path))?.[1] ?? OTHER_AREA;
}
