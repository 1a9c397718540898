import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { NotificationSettings } from '../shapes/notifications.ts';

export async function find(db: AdminDb, userId: string): Promise<NotificationSettings | null> {
  return call(db, 'get_notification_settings', { p_user_id: userId });
}

export async function put(
  db: AdminDb,
  userId: string,
  settings: Pick<NotificationSettings, 'slack_webhook_url' | 'enabled'>,
): Promise<NotificationSettings> {
  return call(db, 'put_notification_settings', {
    p_user_id: userId,
    p_slack_webhook_url: settings.slack_webhook_url,
    p_enabled: settings.enabled,
  });
}

export async function remove(db: AdminDb, userId: string): Promise<void> {
  await call(db, 'delete_notification_settings', { p_user_id: userId });
}

/** Disables a webhook that Slack rejects for good, unless it changed in the meantime. */
export async function disconnect(db: AdminDb, userId: string, url: string, failure: string): Promise<void> {
  await call(db, 'disconnect_notifications', { p_user_id: userId, p_slack_webhook_url: url, p_failure: failure });
}

export async function findTarget(db: AdminDb, userId: string, orgId: string): Promise<string | null> {
  return call(db, 'notification_target', { p_user_id: userId, p_org_id: orgId });
}
