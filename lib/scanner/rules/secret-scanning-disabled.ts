import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'scanning' | 'push';

const ON = { enabled: true, pushProtection: true };

export const secretScanningDisabled = defineRule({
  id: 'secret-scanning-disabled',
  meta: {
    title: 'Credentials in commits go unnoticed',
    why: 'People commit credentials by mistake, and machines find them within minutes. Secret scanning tells the owner and many issuers; push protection stops the push.',
    attack: 'A bot that watches public commits finds a key that somebody pushed, and uses it before anybody notices.',
    recommendation: 'Turn on secret scanning and push protection in the security settings of the repository.',
    limits:
      'Where the code host does not say, as without a licence, nothing is reported. Scanners that run in workflows are not counted: they look after the push.',
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
      scanning: 'Secret scanning is off: a credential in a commit is found by others first.',
      push: 'Push protection is off: a credential is reported only after it was pushed.',
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
    // Private repositories need a licence for it, which their owner may not have.
    severity: repository.visibility !== 'public' ? 'INFO' : isOff ? 'MEDIUM' : 'LOW',
  };
}
