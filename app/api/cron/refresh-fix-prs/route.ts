import { cronEndpoint } from '#lib/http/route/cron-route.ts';
import { route } from '#lib/http/route/route.ts';
import { refreshFixPullRequests } from '#lib/http/schemas/cron.ts';
import { refreshFixes } from '#lib/services/campaigns/refresh.ts';
import { requireApp, requireDatabase } from '#lib/services/context.ts';
import { redeliverLost } from '#lib/services/deliveries/redeliver.ts';

export const maxDuration = 300;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  cronEndpoint(refreshFixPullRequests, {
    needs: (env) => {
      requireDatabase(env);
      requireApp(env);
    },
    handle: async (context) => {
      const body = await refreshFixes(context);
      await redeliverLost(context);
      return { body };
    },
  }),
]);
