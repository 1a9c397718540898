import { later } from '#lib/http/route/later.ts';
import { route } from '#lib/http/route/route.ts';
import { webhookEndpoint } from '#lib/http/route/webhook-route.ts';
import { receiveDelivery } from '#lib/http/schemas/scm.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { receiveDelivery as receive } from '#lib/services/deliveries/receive.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  webhookEndpoint(receiveDelivery, {
    needs: requireDatabase,
    handle: async (context, delivery) => ({ body: await receive(context, delivery, later) }),
  }),
]);
