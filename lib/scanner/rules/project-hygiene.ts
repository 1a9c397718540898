import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'papers';

export const projectHygiene = defineRule({
  id: 'project-hygiene',
  meta: {
    title: 'Public project without a security policy or license',
    why: 'Researchers who find a vulnerability need to know where to report it. Without a security policy they open a public issue, or stay silent. Without a license, nobody may use the code.',
    attack:
      'No direct attack: a vulnerability that is not reported privately stays unfixed, or is public before a fix exists.',
    recommendation: 'Add a SECURITY.md that explains how to report a vulnerability, and a LICENSE.',
    limits:
      'This is housekeeping, not a vulnerability. The texts are not read, and no other aspect of project health is checked.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-10',
    surface: 'repo-settings',
    rulesets: [],
    needs: ['settings'],
    settings: ['repository', 'community'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/getting-started/adding-a-security-policy-to-your-repository',
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/licensing-a-repository',
    ],
    messages: { papers: 'This public repository has no {{missing}}.' },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, community: { securityPolicy: false, license: true } }),
        settings: ['papers'],
      },
    ],
    good: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, community: { securityPolicy: true, license: true } }),
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: { ...SHARED, visibility: 'private' },
          community: { securityPolicy: false, license: false },
        }),
      },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const repository = known(facts, 'repository');
  const community = known(facts, 'community');
  if (community === undefined || repository?.visibility !== 'public' || repository.archived) return;
  const missing = [...(community.securityPolicy ? [] : ['security policy']), ...(community.license ? [] : ['licence'])];
  if (missing.length > 0) {
    yield { message: 'papers', data: { missing: missing.join(' and no ') }, at: { setting: 'community' } };
  }
}
