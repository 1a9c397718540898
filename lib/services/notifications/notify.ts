import * as notificationSettings from '#lib/db/queries/notification-settings.ts';
import type { StoredScan } from '#lib/db/queries/scans.ts';
import { type Delivery, deliver } from '#lib/hosts/chat/deliver.ts';
import { describeNewHigh, type PushNews } from '#lib/hosts/chat/message.ts';
import type { Services } from '../context.ts';

const ATTEMPTS = 3;

export interface ScannedPush extends Omit<PushNews, 'findings' | 'repoId'> {
  readonly userId: string;
  readonly scan: Pick<StoredScan, 'repo_id' | 'new_high'>;
}

/**
 * Notifies a user of a push: one message per scan with new HIGH findings, if they are still a member and want it. Never
 * throws.
 */
export async function notifyNewHigh(services: Services, push: ScannedPush): Promise<void> {
  const { userId, scan, ...news } = push;
  if (scan.new_high.length === 0) return;
  try {
    const address = await notificationSettings.findTarget(services.adminDb(), userId, news.orgId);
    if (address === null) return;
    const message = describeNewHigh(services.env.webUrl, {
      ...news,
      repoId: scan.repo_id,
      findings: scan.new_high,
    });
    const delivery = await deliver(services.env.chat, address, message, ATTEMPTS);
    await noteDelivery(services, userId, address, delivery);
  } catch (error) {
    services.log.error('notification failed', { error });
  }
}

export async function noteDelivery(
  services: Services,
  userId: string,
  address: string,
  delivery: Delivery,
): Promise<void> {
  if (delivery.delivered) return;
  const { reason, status, code, dead } = delivery;
  services.log.warn('notification not delivered', { reason, status, code });
  if (dead && code !== null) await notificationSettings.disconnect(services.adminDb(), userId, address, code);
}
