import { known, knownSettings } from '#lib/facts/facts.ts';
import type { DeployKey } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'writes' | 'bypasses';

const KEY: DeployKey = { title: 'mirror', readOnly: false, createdAt: '2024-03-01T09:00:00Z' };

export const staleCredentials = defineRule({
  id: 'stale-credentials',
  meta: {
    title: 'Deploy key has write access',
    why: 'A deploy key is a private key stored in a file or secret somewhere. It has no owner, no two-factor authentication and no expiry; with write access, whoever copies it can push until someone removes it.',
    attack:
      'The attacker finds the key on a build machine or in a backup, and pushes code as if they were that machine.',
    recommendation:
      'Make deploy keys read-only, remove unknown ones, and let automation push with a GitHub App’s short-lived token.',
    limits: 'Whether a key is still used is not known. Secrets, their age and who can read them are not checked.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-2',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'deployKeys'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/authentication/connecting-to-github-with-ssh/managing-deploy-keys#deploy-keys',
    ],
    messages: {
      writes: 'Deploy keys with write access: {{keys}}.',
      bypasses: 'Deploy keys with write access that bypass the rules of the default branch: {{keys}}.',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, deployKeys: [KEY] }), settings: ['writes'] },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          deployKeys: [KEY],
          bypasses: [{ kind: 'deploy-keys', who: 'deploy keys', mode: 'always', from: 'main' }],
        }),
        settings: ['bypasses'],
      },
    ],
    good: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, deployKeys: [{ ...KEY, readOnly: true }] }),
      },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, deployKeys: [KEY] }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const keys = (known(facts, 'deployKeys') ?? []).filter(({ readOnly }) => !readOnly);
  if (keys.length === 0 || known(facts, 'repository')?.archived !== false) return;
  const bypasses = (known(facts, 'bypasses') ?? []).some(
    ({ kind, mode }) => kind === 'deploy-keys' && mode === 'always',
  );
  yield {
    message: bypasses ? 'bypasses' : 'writes',
    data: { keys: joinList(keys.map(({ title, createdAt }) => `“${title}” (${createdAt.slice(0, 10)})`)) },
    at: { setting: 'deploy keys' },
    severity: bypasses ? 'MEDIUM' : 'LOW',
  };
}
