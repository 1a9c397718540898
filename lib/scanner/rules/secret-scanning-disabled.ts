import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'scanning' | 'push';

const ON = { enabled: true, pushProtection: true };

export const secretScanningDisabled = defineRule({
  id: 'secret-scanning-disabled',
  meta: {
    title: 'Secret scanning or push protection is disabled',
    why: 'People commit credentials by mistake, and bots find them within minutes. Secret scanning alerts the owner and many issuers; push protection blocks the push.',
    attack: 'A bot that monitors public commits finds a freshly pushed key and uses it before anyone notices.',
    recommendation: 'Enable secret scanning and push protection in the repository’s security settings.',
    limits:
      'If GitHub does not report the setting, for example without a license, nothing is reported. Scanners that run in workflows do not count: they run after the push.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'secretScanning'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/secret-scanning/introduction/about-secret-scanning',
      'https://docs.github.com/code-security/secret-scanning/introduction/about-push-protection',
    ],
    messages: {
      scanning: 'Secret scanning is disabled: attackers may find a committed credential first.',
      push: 'Push protection is disabled: a credential is reported only after it was pushed.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, secretScanning: { enabled: false, pushProtection: false } }),
        settings: ['scanning'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, secretScanning: { ...ON, pushProtection: false } }),
        settings: ['push'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: { ...SHARED, visibility: 'private' },
          secretScanning: { enabled: false, pushProtection: false },
        }),
        settings: ['scanning'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, secretScanning: ON }) },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, secretScanning: { enabled: null, pushProtection: null } }),
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: { ...SHARED, archived: true },
          secretScanning: { enabled: false, pushProtection: false },
        }),
      },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const scanning = known(facts, 'secretScanning');
  const repository = known(facts, 'repository');
  if (scanning === undefined || repository?.archived !== false) return;
  const isOff = scanning.enabled === false;
  if (!isOff && scanning.pushProtection !== false) return;
  yield {
    message: isOff ? 'scanning' : 'push',
    at: { setting: 'secret_scanning' },
    severity: repository.visibility !== 'public' ? 'INFO' : isOff ? 'MEDIUM' : 'LOW',
  };
}
