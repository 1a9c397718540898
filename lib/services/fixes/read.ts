import { AppError } from '#lib/errors.ts';
import type { RepositoryHead } from '#lib/hosts/code-host/port.ts';
import { readDigests } from '#lib/hosts/registries/images/read-digests.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import type { FixChoice, Proposals } from './proposals.ts';

const IMAGES_MS = 6_000;

export interface Proposed extends Proposals {
  readonly head: RepositoryHead;
}

export async function propose(
  services: Services,
  at: { readonly installation_id: string; readonly scm_id: string; readonly full_name: string },
  choice: FixChoice,
): Promise<Proposed> {
  const { installation_id: installation, scm_id: scmId, full_name: fullName } = at;
  const { scm, imageRegistries } = services.env;
  const app = services.codeHostApp();
  const read = await app.readRepository(installation, { scmId, fullName });
  if (read.unchanged) throw new AppError('internal', 'The repository was read without its files.');
  const { head, snapshot } = read;
  const needs = await isolated(services, 'connected', 'fixNeeds', snapshot, choice, { scm });
  const [network, images] = await Promise.all([
    app.readActions(installation, needs.actions),
    needs.images === undefined || imageRegistries === null
      ? undefined
      : readDigests(needs.images, { origin: imageRegistries.origin, timeLimitMs: IMAGES_MS }),
  ]);
  const facts = { network, ...(images === undefined ? {} : { images }) };
  return { head, ...(await isolated(services, 'connected', 'proposeFixes', snapshot, choice, facts, { scm })) };
}
