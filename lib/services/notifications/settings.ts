import * as notificationSettings from '#lib/db/queries/notification-settings.ts';
import { AppError } from '#lib/errors.ts';
import { type Delivery, deliver } from '#lib/hosts/chat/deliver.ts';
import { describeTest } from '#lib/hosts/chat/message.ts';
import { webhookPath } from '#lib/hosts/chat/webhook.ts';
import type { Services } from '../context.ts';
import { noteDelivery } from './notify.ts';

/** Stores a webhook. Throws `validation-failed` for anything but an incoming webhook of Slack. */
export function putNotificationSettings(
  { adminDb, env }: Services,
  user: { readonly id: string },
  settings: { readonly slack_webhook_url: string; readonly enabled: boolean },
) {
  if (webhookPath(settings.slack_webhook_url, env.chat) === undefined) {
    const message = `Not an incoming webhook: https://${env.chat.webhookHost}/services/T…/B…/…`;
    throw new AppError('validation-failed', message, { errors: [{ path: 'slack_webhook_url', message }] });
  }
  return notificationSettings.put(adminDb(), user.id, settings);
}

export function deleteNotificationSettings({ adminDb }: Services, user: { readonly id: string }): Promise<void> {
  return notificationSettings.remove(adminDb(), user.id);
}

/** Sends a test message once, also while notifications are off. Throws `chat-refused` with the reason. */
export async function testNotificationSettings(
  services: Services,
  user: { readonly id: string },
): Promise<{ readonly delivered: true }> {
  const settings = await notificationSettings.find(services.adminDb(), user.id);
  if (settings === null) throw new AppError('not-found', 'No incoming webhook is set.');
  const { slack_webhook_url: address } = settings;
  const delivery = await deliver(services.env.chat, address, describeTest(services.env.webUrl), 1);
  await noteDelivery(services, user.id, address, delivery);
  if (!delivery.delivered) throw new AppError('chat-refused', explain(delivery));
  return { delivered: true };
}

const REASONS: Readonly<Record<Extract<Delivery, { delivered: false }>['reason'], string>> = {
  'not-a-webhook': 'What is stored is not an incoming webhook of the chat service, so nothing was sent.',
  refused: 'The chat service refused the message',
  redirected: 'The chat service answered with a redirect, which is not followed.',
  'timed-out': 'The chat service did not answer in time.',
  unreachable: 'The chat service could not be reached.',
};

function explain({ reason, code }: Extract<Delivery, { delivered: false }>): string {
  if (reason !== 'refused') return REASONS[reason];
  return code === null ? `${REASONS.refused}.` : `${REASONS.refused}: ${code}.`;
}
