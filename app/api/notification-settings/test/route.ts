import { route, userEndpoint } from '#lib/http/route/route.ts';
import { testNotificationSettings } from '#lib/http/schemas/notification-settings.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { testNotificationSettings as test } from '#lib/services/notifications/settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(testNotificationSettings, {
    needs: requireDatabase,
    handle: async (context) => ({ body: await test(context, context.user) }),
  }),
]);
