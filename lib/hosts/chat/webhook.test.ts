import { describe, expect, it } from 'vitest';
import { WEBHOOK, WRONG_WEBHOOKS } from '../../../tests/support/webhook-addresses.ts';
import { webhookPath } from './webhook.ts';

const target = { webhookHost: 'hooks.slack.com', webhookOrigin: null };

describe('an incoming webhook', () => {
  it('has the host of the configuration and leads to a path below /services/', () => {
    expect(webhookPath(WEBHOOK, target)).toBe('/services/T0123ABCD/B0456EFGH/abcdefghijklmnopqrstuvwx');
    const elsewhere = { ...target, webhookHost: 'hooks.slack-gov.com' };
    expect(webhookPath(WEBHOOK.replace('slack.com', 'slack-gov.com'), elsewhere)).toBeDefined();
    expect(webhookPath(WEBHOOK, elsewhere)).toBeUndefined();
  });

  it.each(WRONG_WEBHOOKS)('is not %s', (_, address) => {
    expect(webhookPath(address, target)).toBeUndefined();
  });

  it('is not another host where the one of the configuration has a dot', () => {
    expect(webhookPath(WEBHOOK.replace('hooks.slack', 'hooksxslack'), target)).toBeUndefined();
  });
});
