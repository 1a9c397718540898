import * as z from 'zod/mini';
import { Id, understand } from './answers.ts';
import type { Client } from './client.ts';
import type { PastDelivery } from './port.ts';

const PER_PAGE = 100;
const MAX_PAGES = 20;

const Deliveries = z.array(
  z.object({ id: Id, guid: z.string(), event: z.string(), delivered_at: z.string(), status_code: z.number() }),
);

export async function* listDeliveries(asApp: Client, which: 'all' | 'failed'): AsyncGenerator<readonly PastDelivery[]> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const parameters = {
      per_page: PER_PAGE,
      ...(which === 'failed' ? { status: 'failure' } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { data, next } = await asApp.readPage('/app/hook/deliveries', parameters);
    // Older servers ignore the status.
    const wanted = understand(Deliveries, data).filter(
      ({ status_code: status }) => which === 'all' || status < 200 || status >= 300,
    );
    yield wanted.map(({ id, guid, event, delivered_at: at }) => ({
      id: String(id),
      guid,
      event,
      deliveredAtMs: Date.parse(at),
    }));
    if (next === undefined) return;
    cursor = next;
  }
}

export async function redeliver(asApp: Client, id: string): Promise<void> {
  await asApp.send('/app/hook/deliveries/{delivery_id}/attempts', { delivery_id: id });
}
