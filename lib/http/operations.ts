import type { Operation } from './operation.ts';
import { getBadge, getBadgeSvg } from './schemas/badge.ts';
import { createPublicScan, getPublicScan } from './schemas/public-scan.ts';
import { getPublicStats } from './schemas/public-stats.ts';
import { listRules } from './schemas/rules.ts';
import { getCapabilities, getHealth } from './schemas/service.ts';

/** Every operation of the API, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  getHealth,
  getCapabilities,
  listRules,
  createPublicScan,
  getPublicScan,
  getPublicStats,
  getBadge,
  getBadgeSvg,
];
