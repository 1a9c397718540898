import { cronEndpoint } from '#lib/http/route/cron-route.ts';
import { route } from '#lib/http/route/route.ts';
import { expireTriage } from '#lib/http/schemas/cron.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { refreshOutdated } from '#lib/services/paths/refresh.ts';
import { pruneScans } from '#lib/services/scans/prune.ts';
import { expireTriage as expire } from '#lib/services/triage/expire.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  cronEndpoint(expireTriage, {
    needs: requireDatabase,
    handle: async (context) => {
      const body = await expire(context);
      await pruneScans(context);
      await refreshOutdated(context);
      return { body };
    },
  }),
]);
