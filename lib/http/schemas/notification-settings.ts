import { z } from 'zod';
import { NotificationSettings } from '#lib/db/shapes/notifications.ts';
import { defineOperation } from '../route/operation.ts';

const path = '/api/notification-settings';

export const putNotificationSettings = defineOperation({
  id: 'putNotificationSettings',
  verb: 'PUT',
  path,
  summary: 'Set the caller’s notifications',
  access: 'user',
  body: z
    .strictObject({
      slack_webhook_url: z.string().meta({ description: 'An incoming webhook: `https://hooks.slack.com/services/…`' }),
      enabled: z.boolean(),
    })
    .meta({ id: 'NewNotificationSettings' }),
  reply: NotificationSettings,
  replyDescription: 'The stored settings.',
  errors: ['invalid-json', 'validation-failed'],
});

export const deleteNotificationSettings = defineOperation({
  id: 'deleteNotificationSettings',
  verb: 'DELETE',
  path,
  summary: 'Delete the caller’s notification settings',
  access: 'user',
  reply: z.null(),
  replyDescription: 'No settings are stored, whether or not there were any.',
  status: 204,
});

export const testNotificationSettings = defineOperation({
  id: 'testNotificationSettings',
  verb: 'POST',
  path: '/api/notification-settings/test',
  summary: 'Send a test message',
  description: 'Also while notifications are disabled. Sent once.',
  access: 'user',
  reply: z.strictObject({ delivered: z.literal(true) }).meta({ id: 'TestDelivery' }),
  replyDescription: 'The chat service accepted the message.',
  errors: ['not-found', 'chat-refused'],
});
