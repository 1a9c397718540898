import type { Operation } from '../route/operation.ts';
import * as actions from '../schemas/actions.ts';
import * as attackPaths from '../schemas/attack-paths.ts';
import * as badge from '../schemas/badge.ts';
import * as campaigns from '../schemas/campaigns.ts';
import * as cron from '../schemas/cron.ts';
import * as fixes from '../schemas/fixes.ts';
import * as harden from '../schemas/harden.ts';
import * as invites from '../schemas/invites.ts';
import * as notificationSettings from '../schemas/notification-settings.ts';
import * as organizations from '../schemas/organizations.ts';
import * as publicScan from '../schemas/public-scan.ts';
import * as publicStats from '../schemas/public-stats.ts';
import * as repositories from '../schemas/repositories.ts';
import * as ruleOverrides from '../schemas/rule-overrides.ts';
import * as ruleSettings from '../schemas/rule-settings.ts';
import * as rules from '../schemas/rules.ts';
import * as scm from '../schemas/scm.ts';
import * as service from '../schemas/service.ts';
import * as triage from '../schemas/triage.ts';

const AREAS: Readonly<Record<string, readonly object[]>> = {
  Service: [service],
  Organizations: [organizations, invites],
  Rules: [rules, ruleSettings, ruleOverrides],
  Notifications: [notificationSettings],
  'Public scans': [publicScan, publicStats, badge],
  Hardener: [harden],
  Actions: [actions],
  'Code host': [scm],
  Repositories: [repositories],
  Triage: [triage],
  'Attack paths': [attackPaths],
  Fixes: [fixes],
  Campaigns: [campaigns],
  'Scheduled jobs': [cron],
};

const areas = new Map<Operation, string>(
  Object.entries(AREAS).flatMap(([area, modules]) =>
    modules.flatMap(operationsOf).map((operation) => [operation, area] as const),
  ),
);

export const OPERATIONS: readonly Operation[] = [...areas.keys()];

export function areaOf(operation: Operation): string | undefined {
  return areas.get(operation);
}

function operationsOf(schemas: object): Operation[] {
  return Object.values(schemas)
    .filter((value): value is Operation => typeof value === 'object' && value !== null && 'verb' in value)
    .sort((a, b) => compare(a.path, b.path) || compare(a.verb, b.verb));
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
