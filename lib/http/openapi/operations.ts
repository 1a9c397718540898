import type { Operation } from '../route/operation.ts';
import { listAttackPaths, listRepositoryCombos } from '../schemas/attack-paths.ts';
import { getBadge, getBadgeSvg } from '../schemas/badge.ts';
import { expireTriage } from '../schemas/cron.ts';

import { hardenWorkflow } from '../schemas/harden.ts';
import { acceptInvite, createInvite, listInvites, listMyInvites, revokeInvite } from '../schemas/invites.ts';

import {
  deleteNotificationSettings,
  putNotificationSettings,
  testNotificationSettings,
} from '../schemas/notification-settings.ts';
import {
  createOrg,
  getPrGate,
  listMembers,
  listOrgs,
  putPrGate,
  removeMember,
  renameOrg,
  setMemberRole,
} from '../schemas/organizations.ts';

import { createPublicScan, getPublicScan } from '../schemas/public-scan.ts';

import { getPublicStats } from '../schemas/public-stats.ts';

import { createScan, listRepositories, setMonitored, triageFinding } from '../schemas/repositories.ts';

import {
  applyRuleChanges,
  deleteRuleOverride,
  listRepositoryOverrides,
  listRuleOverrides,
  putRuleOverride,
} from '../schemas/rule-overrides.ts';

import { deleteRuleSetting, listRuleSettings, putRuleSetting } from '../schemas/rule-settings.ts';

import { listRules } from '../schemas/rules.ts';
import { linkInstallation, receiveDelivery } from '../schemas/scm.ts';
import { getCapabilities, getHealth } from '../schemas/service.ts';

/** Every operation of the API, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  getHealth,
  getCapabilities,
  listRules,
  listOrgs,
  createOrg,
  renameOrg,
  getPrGate,
  putPrGate,
  listMembers,
  setMemberRole,
  removeMember,
  listInvites,
  createInvite,
  revokeInvite,
  listMyInvites,
  acceptInvite,
  listRuleSettings,
  putRuleSetting,
  deleteRuleSetting,
  listRepositoryOverrides,
  putRuleOverride,
  deleteRuleOverride,
  listRuleOverrides,
  applyRuleChanges,
  putNotificationSettings,
  deleteNotificationSettings,
  testNotificationSettings,
  createPublicScan,
  getPublicScan,
  getPublicStats,
  hardenWorkflow,
  getBadge,
  getBadgeSvg,
  linkInstallation,
  listRepositories,
  createScan,
  setMonitored,
  triageFinding,
  listAttackPaths,
  listRepositoryCombos,
  receiveDelivery,
  expireTriage,
];
