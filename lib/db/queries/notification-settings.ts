import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

export interface NotificationSettings {
  readonly user_id: string;
  readonly slack_webhook_url: string;
  readonly enabled: boolean;
  /** What the chat service said when it cut the hook off. */
  readonly failure: string | null;
  readonly updated_at: string;
}

export async function find(db: AdminDb, userId: string): Promise<NotificationSettings | null> {
  return unwrap(await db.rpc('get_notification_settings', { p_user_id: userId }));
}

export async function put(
  db: AdminDb,
  userId: string,
  settings: Pick<NotificationSettings, 'slack_webhook_url' | 'enabled'>,
): Promise<NotificationSettings> {
  const args = {
    p_user_id: userId,
    p_slack_webhook_url: settings.slack_webhook_url,
    p_enabled: settings.enabled,
  };
  return unwrap(await db.rpc('put_notification_settings', args));
}

export async function remove(db: AdminDb, userId: string): Promise<void> {
  unwrap(await db.rpc('delete_notification_settings', { p_user_id: userId }));
}

/** Switches a hook off that the chat service no longer takes, unless it was changed meanwhile. */
export async function disconnect(db: AdminDb, userId: string, url: string, failure: string): Promise<void> {
  const args = { p_user_id: userId, p_slack_webhook_url: url, p_failure: failure };
  unwrap(await db.rpc('disconnect_notifications', args));
}

/** Where to tell a user of something in an organization; null when they left it or do not want to hear. */
export async function findTarget(db: AdminDb, userId: string, orgId: string): Promise<string | null> {
  return unwrap(await db.rpc('notification_target', { p_user_id: userId, p_org_id: orgId }));
}
