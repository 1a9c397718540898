import type { Acting } from './acting.ts';
import type { Account, Repository } from './model.ts';
import { repositoryJson, userJson } from './representations.ts';
import type { Delivery } from './webhooks.ts';

export type Announcing = Omit<Acting, 'caller' | 'credentials'>;

export interface Sent {
  readonly deliveries: readonly Delivery[];
  readonly held: readonly string[];
}

interface Event {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly sender: Account;
  readonly permission?: string;
}

export type Timing = 'awaited' | 'queued' | 'held';

export async function send(
  repository: Repository,
  { name, payload, sender, permission }: Event,
  { world, places, webhooks }: Announcing,
  timing: Timing,
): Promise<Sent> {
  if (timing !== 'held' && !webhooks.isListening) return { deliveries: [], held: [] };
  const installations = world.installations.filter(
    (installation) =>
      installation.suspendedAt === null &&
      world.isInstalledOn(installation, repository) &&
      (permission === undefined || installation.permissions[permission] !== undefined),
  );
  const common = {
    ...payload,
    repository: repositoryJson(repository, undefined, world, places),
    sender: userJson(sender, places),
  };
  const payloads = installations.map(({ id }) => ({ ...common, installation: { id, node_id: `I_${id}` } }));
  if (timing === 'held') return { deliveries: [], held: payloads.map((each) => webhooks.hold(name, each)) };
  const sending = Promise.all(payloads.map((each) => webhooks.send(name, each)));
  const sent = timing === 'awaited' ? await sending : [];
  return { deliveries: sent.filter((delivery) => delivery !== undefined), held: [] };
}
