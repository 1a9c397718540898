import { known, knownSettings } from '#lib/facts/facts.ts';
import type { OrganizationSettings } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD } from '../testing/settings-examples.ts';

type Message = 'password';

const ORGANIZATION: OrganizationSettings = {
  twoFactorRequired: true,
  basePermission: 'read',
  membersCreatePublicRepositories: false,
};

export const weakOrgAuthentication = defineRule({
  id: 'weak-org-authentication',
  meta: {
    title: 'Two-factor authentication not required',
    why: 'Passwords are guessed, reused and stolen. If the organization does not require two-factor authentication, a single password of one member gives access to everything that member can do.',
    attack: 'The attacker tries a member’s leaked password, signs in, and pushes or approves in their name.',
    recommendation: 'Require two-factor authentication in the organization’s authentication security settings.',
    limits:
      'Single sign-on with its own second factor, and 2FA that GitHub requires of individual accounts, are not visible. Only an owner’s token can read the setting.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-2',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l2'],
    needs: ['settings'],
    settings: ['organization'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/organizations/keeping-your-organization-secure/managing-two-factor-authentication-for-your-organization/requiring-two-factor-authentication-in-your-organization',
    ],
    messages: { password: 'The organization does not require two-factor authentication of its members.' },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ organization: { ...ORGANIZATION, twoFactorRequired: false } }),
        settings: ['password'],
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
  if (known(facts, 'organization')?.twoFactorRequired !== false) return;
  yield { message: 'password', at: { setting: 'two_factor_requirement_enabled' } };
}
