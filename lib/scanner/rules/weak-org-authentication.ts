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
    title: 'Members of the organization need no second factor',
    why: 'Passwords are guessed, reused and stolen. Where the organization demands no second factor, one password of one member is enough for everything that member may do.',
    attack: 'The attacker tries a leaked password of a member, signs in, and pushes or approves in their name.',
    recommendation: 'Require two-factor authentication in the organization’s authentication security settings.',
    limits:
      'Single sign-on, which may demand a second factor of its own, is not seen, and neither what the code host demands of single accounts. Only an owner’s token may read the setting.',
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
      // A person's own repository.
      { yaml: BUILD, facts: knownSettings({ organization: null }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  if (known(facts, 'organization')?.twoFactorRequired !== false) return;
  yield { message: 'password', at: { setting: 'two_factor_requirement_enabled' } };
}
