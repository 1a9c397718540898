import { createHmac, randomUUID } from 'node:crypto';
import type { AppCredentials } from './credentials.ts';

export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  readonly durationMs: number;
  readonly statusCode: number;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

interface Event {
  readonly guid: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  attempts: number;
}

/** GitHub's timeout; it does not retry. */
const TIMEOUT_MS = 10_000;
const MAX_KEPT = 1_000;

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

  get isListening(): boolean {
    return this.#url !== undefined;
  }

  send(event: string, payload: Readonly<Record<string, unknown>>): Promise<Delivery | undefined> {
    return this.#enqueue(this.#remember(event, payload));
  }

  hold(event: string, payload: Readonly<Record<string, unknown>>): string {
    return this.#remember(event, payload).guid;
  }

  deliver(guid: string): Promise<Delivery | undefined> {
    const event = this.#events.get(guid);
    if (event === undefined) throw new Error(`There is no event ${guid}.`);
    return this.#url === undefined ? Promise.resolve(undefined) : this.#deliver(event, this.#url);
  }

  redeliver(deliveryId: number): Promise<Delivery | undefined> | undefined {
    const delivery = this.deliveries.find(({ id }) => id === deliveryId);
    const event = delivery === undefined ? undefined : this.#events.get(delivery.guid);
    return event === undefined ? undefined : this.#enqueue(event);
  }

  #remember(event: string, payload: Readonly<Record<string, unknown>>): Event {
    const guid = randomUUID();
    const kept: Event = { guid, event, payload, body: Buffer.from(JSON.stringify(payload)), attempts: 0 };
    const [oldest] = this.#events.keys();
    if (this.#events.size >= MAX_KEPT && oldest !== undefined) this.#events.delete(oldest);
    this.#events.set(guid, kept);
    return kept;
  }

  #enqueue(event: Event): Promise<Delivery | undefined> {
    const url = this.#url;
    if (url === undefined) return Promise.resolve(undefined);
    const delivered = this.#last.then(() => this.#deliver(event, url));
    this.#last = delivered;
    return delivered;
  }

  async #deliver(sent: Event, url: string): Promise<Delivery> {
    const { guid, event, payload, body } = sent;
    sent.attempts += 1;
    const redelivery = sent.attempts > 1;
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
