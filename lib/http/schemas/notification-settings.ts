import { z } from 'zod';
import { NotificationSettings } from '#lib/db/shapes/notifications.ts';
import { defineOperation } from '../route/operation.ts';

const path = '/api/notification-settings';

export const putNotificationSettings = defineOperation({
  id: 'putNotificationSettings',
  verb: 'PUT',
  path,
  summary: 'Set where the caller is notified',
  access: 'user',
  body: z
    .strictObject({
      slack_webhook_url: z.string().meta({ description: 'An incoming webhook: `https://hooks.slack.com/services/…`' }),
      enabled: z.boolean(),
    })
    .meta({ id: 'NewNotificationSettings' }),
  reply: NotificationSettings,
  replyDescription: 'What is stored now.',
  errors: ['invalid-json', 'validation-failed'],
});

export const deleteNotificationSettings = defineOperation({
  id: 'deleteNotificationSettings',
  verb: 'DELETE',
  path,
  summary: 'Forget where the caller is notified',
  access: 'user',
  reply: z.null(),
  replyDescription: 'Nothing is stored, whether or not there was before.',
  status: 204,
});

export const testNotificationSettings = defineOperation({
  id: 'testNotificationSettings',
  verb: 'POST',
  path: '/api/notification-settings/test',
  summary: 'Send a test message',
  description: 'Also while notifications are off. It is sent once.',
  access: 'user',
  reply: z.strictObject({ delivered: z.literal(true) }).meta({ id: 'TestDelivery' }),
  replyDescription: 'The chat service took the message.',
  errors: ['not-found', 'chat-refused'],
});
