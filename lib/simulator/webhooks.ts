import { createHmac, randomUUID } from 'node:crypto';
import type { AppCredentials } from './credentials.ts';

export interface Delivery {
  readonly id: number;
  /** The same for every attempt at one event. */
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  readonly durationMs: number;
  /** 0 when there was no answer. */
  readonly statusCode: number;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

interface Event {
  readonly guid: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** GitHub gives up after so long, and never tries again by itself. */
const TIMEOUT_MS = 10_000;
const MAX_KEPT = 1_000;

/** Sends the app's events to its one address, in the order in which they happened. */
export class Webhooks {
  readonly deliveries: Delivery[] = [];
  readonly #app: AppCredentials;
  readonly #url: string | undefined;
  readonly #events = new Map<string, Event>();
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 12_000_001;

  constructor(app: AppCredentials, url: string | undefined) {
    this.#app = app;
    this.#url = url;
  }

  /** Queues an event; the promise holds until it is delivered or given up. */
  send(event: string, payload: Readonly<Record<string, unknown>>): Promise<Delivery | undefined> {
    const guid = randomUUID();
    const sent: Event = { guid, event, payload, body: Buffer.from(JSON.stringify(payload)) };
    if (this.#events.size >= MAX_KEPT) this.#events.clear();
    this.#events.set(guid, sent);
    return this.#enqueue(sent, false);
  }

  /** The same bytes under the same id once more; undefined when nothing is known of that delivery. */
  redeliver(deliveryId: number): Promise<Delivery | undefined> | undefined {
    const delivery = this.deliveries.find(({ id }) => id === deliveryId);
    const event = delivery === undefined ? undefined : this.#events.get(delivery.guid);
    return event === undefined ? undefined : this.#enqueue(event, true);
  }

  #enqueue(event: Event, redelivery: boolean): Promise<Delivery | undefined> {
    const url = this.#url;
    if (url === undefined) return Promise.resolve(undefined);
    const delivered = this.#last.then(() => this.#deliver(event, url, redelivery));
    this.#last = delivered;
    return delivered;
  }

  async #deliver({ guid, event, payload, body }: Event, url: string, redelivery: boolean): Promise<Delivery> {
    const began = performance.now();
    const deliveredAt = new Date().toISOString();
    const signature = createHmac('sha256', this.#app.webhookSecret).update(body).digest('hex');
    const statusCode = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: '*/*',
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/simulated',
        'x-github-delivery': guid,
        'x-github-event': event,
        'x-github-hook-id': String(this.#app.id),
        'x-github-hook-installation-target-id': String(this.#app.id),
        'x-github-hook-installation-target-type': 'integration',
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body: new Uint8Array(body),
    }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    const delivery: Delivery = {
      id: this.#nextId,
      guid,
      event,
      action: typeof payload['action'] === 'string' ? payload['action'] : null,
      deliveredAt,
      redelivery,
      durationMs: performance.now() - began,
      statusCode,
      installationId: idOf(payload['installation']),
      repositoryId: idOf(payload['repository']),
    };
    this.#nextId += 1;
    if (this.deliveries.length >= MAX_KEPT) this.deliveries.splice(0, MAX_KEPT / 2);
    this.deliveries.push(delivery);
    return delivery;
  }
}

function idOf(value: unknown): number | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'number' ? id : null;
}
