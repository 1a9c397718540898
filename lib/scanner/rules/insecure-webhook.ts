import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Webhook } from '#lib/facts/settings.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'open' | 'unsigned';

const MAX_FINDINGS = 50;
const DELICATE = /^(?:\*|push|package|registry_package|release|repository_dispatch|workflow_\w+|secret_scanning_\w+)$/;

const SAFE: Webhook = {
  host: 'ci.example.com',
  active: true,
  encrypted: true,
  verifiesCertificate: true,
  signed: true,
  events: ['push'],
};

export const insecureWebhook = defineRule({
  id: 'insecure-webhook',
  meta: {
    title: 'Webhook without secret or TLS verification',
    why: 'Webhooks start builds and deployments elsewhere. Without a secret, the receiver cannot tell GitHub’s messages from forged ones; without encryption, a man in the middle can read and change them.',
    attack:
      'An attacker sends the receiver a forged push event and starts a deployment, or reads private code and names from intercepted messages.',
    recommendation:
      'Set a webhook secret and verify the signature in the receiver. Use an https address with certificate verification.',
    limits:
      'Whether the receiver verifies the signature is unknown. Webhooks of the organization and of apps are not checked.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-8',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'webhooks'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/webhooks/using-webhooks/best-practices-for-using-webhooks',
      'https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries',
    ],
    messages: {
      open: 'The webhook to {{host}} is delivered {{how}}; it carries {{events}}.',
      unsigned: 'The webhook to {{host}} has no secret, so anyone can send its receiver forged messages.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, webhooks: [{ ...SAFE, signed: false }] }),
        settings: ['unsigned'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, webhooks: [{ ...SAFE, encrypted: false }] }),
        settings: ['open'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          webhooks: [{ ...SAFE, verifiesCertificate: false, events: ['issues'] }],
        }),
        settings: ['open'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, webhooks: [SAFE] }) },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, webhooks: [{ ...SAFE, active: false, signed: false }] }),
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, webhooks: [{ ...SAFE, host: 'localhost', encrypted: false }] }),
      },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  if (known(facts, 'repository')?.archived !== false) return;
  const weak = (known(facts, 'webhooks') ?? []).filter(
    (hook) => hook.active && !isLocal(hook) && !(hook.encrypted && hook.verifiesCertificate && hook.signed),
  );
  for (const { host, encrypted, verifiesCertificate, events } of weak.slice(0, MAX_FINDINGS)) {
    const isOpen = !encrypted || !verifiesCertificate;
    const delicate = events.some((event) => DELICATE.test(event));
    yield {
      message: isOpen ? 'open' : 'unsigned',
      data: {
        host,
        how: encrypted ? 'without certificate verification' : 'without encryption',
        events: joinList(events.map((event) => (event === '*' ? 'every event' : event))),
      },
      at: { setting: `webhook ${host}` },
      severity: isOpen && delicate ? 'MEDIUM' : 'LOW',
    };
  }
}

function isLocal({ host }: Webhook): boolean {
  return host === '' || host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
