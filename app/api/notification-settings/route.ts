import { route, userEndpoint } from '#lib/http/route/route.ts';
import { deleteNotificationSettings, putNotificationSettings } from '#lib/http/schemas/notification-settings.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/notifications/settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(putNotificationSettings, {
    needs: requireDatabase,
    handle: async (context, { body }) => ({ body: await service.putNotificationSettings(context, context.user, body) }),
  }),
  userEndpoint(deleteNotificationSettings, {
    needs: requireDatabase,
    handle: async (context) => {
      await service.deleteNotificationSettings(context, context.user);
      return { body: null };
    },
  }),
]);
