import { z } from 'zod';
import { Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const NotificationSettings = z
  .strictObject({
    user_id: Uuid,
    slack_webhook_url: z.string(),
    enabled: z.boolean(),
    failure: z.string().nullable().meta({ description: 'Error code with which the chat service rejected the webhook' }),
    updated_at: Timestamp,
  })
  .meta({ id: 'NotificationSettings' });

export type NotificationSettings = Shape<typeof NotificationSettings>;
