import { describe, expect, it } from 'vitest';
import { WEBHOOK, WRONG_WEBHOOKS } from '../../../tests/support/webhook-addresses.ts';
import { webhookPath } from './webhook.ts';

const target = { webhookHost: 'hooks.slack.com', webhookOrigin: null };

describe('an incoming webhook', () => {
  it('has the configured host and a path below /services/', () => {
    expect(webhookPath(WEBHOOK, target)).toBe('/services/T0123ABCD/B0456EFGH/abcdefghijklmnopqrstuvwx');
    const elsewhere = { ...target, webhookHost: 'hooks.slack-gov.com' };
    expect(webhookPath(WEBHOOK.replace('slack.com', 'slack-gov.com'), elsewhere)).toBeDefined();
    expect(webhookPath(WEBHOOK, elsewhere)).toBeUndefined();
  });

  it.each(WRONG_WEBHOOKS)('is not %s', (_, address) => {
    expect(webhookPath(address, target)).toBeUndefined();
  });

  it('is rejected with another character in place of the host’s dot', () => {
    expect(webhookPath(WEBHOOK.replace('hooks.slack', 'hooksxslack'), target)).toBeUndefined();
  });
});
