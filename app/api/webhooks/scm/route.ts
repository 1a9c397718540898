import { later } from '../../../../lib/http/later.ts';
import { route } from '../../../../lib/http/route.ts';
import { receiveDelivery } from '../../../../lib/http/schemas/scm.ts';
import { webhookEndpoint } from '../../../../lib/http/webhook-route.ts';
import { requireDatabase } from '../../../../lib/services/context.ts';
import { receiveDelivery as receive } from '../../../../lib/services/receive-delivery.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  webhookEndpoint(receiveDelivery, {
    needs: requireDatabase,
    handle: async (context, delivery) => ({ body: await receive(context, delivery, later) }),
  }),
]);
