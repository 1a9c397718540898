import { known, knownSettings } from '#lib/facts/facts.ts';
import type { OrganizationSettings } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD } from '../testing/settings-examples.ts';

type Message = 'base';

const ORGANIZATION: OrganizationSettings = {
  twoFactorRequired: true,
  basePermission: 'read',
  membersCreatePublicRepositories: false,
};

export const excessiveOrgAccess = defineRule({
  id: 'excessive-org-access',
  meta: {
    title: 'Every member can write to every repository',
    why: 'The organization’s base permission applies to all members and all repositories. With write access, every account is a way into every build and release, however little its owner has to do with them.',
    attack:
      'An attacker takes over whichever member account is easiest, and pushes to the repository that matters most.',
    recommendation: 'Lower the base permission to read or none, and grant teams write access where they work.',
    limits:
      'Roles of individual people and teams, outside collaborators and owners are not counted. Only an organization owner’s token can read the setting.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l2'],
    needs: ['settings'],
    settings: ['organization'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/setting-base-permissions-for-an-organization',
    ],
    messages: { base: 'Every member of the organization has {{level}} access to all of its repositories.' },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ organization: { ...ORGANIZATION, basePermission: 'write' } }),
        settings: ['base'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ organization: ORGANIZATION }) },
      { yaml: BUILD, facts: knownSettings({ organization: null }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const level = known(facts, 'organization')?.basePermission;
  if (level !== 'write' && level !== 'admin') return;
  yield { message: 'base', data: { level }, at: { setting: 'default_repository_permission' }, attributes: { level } };
}
