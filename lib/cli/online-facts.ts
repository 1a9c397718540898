import { type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { isManifest, type Manifests } from '#lib/hosts/registries/packages/manifests.ts';
import { readPublished } from '#lib/hosts/registries/packages/read-published.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rulesThatNeed } from '#lib/scanner/rules-that-need.ts';
import { actionsUsedBy } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type ActionScores, scoreActions } from './action-scores.ts';
import { filesBelow, isRepository, type LocalRepository, readInput } from './files.ts';
import { nowOf } from './now.ts';
import { observe, readObservations, writeObservations } from './observations.ts';
import { registries, remoteOptions } from './remote.ts';
import { connectForActions } from './remote-host.ts';

const MAX_MANIFEST_BYTES = 256 * 1024;

export interface OnlineOptions {
  readonly packages: boolean;
  readonly ruleset: Ruleset;
  readonly observed: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

export interface FactsSource {
  /** Files in the folder name the published packages, which are not looked up without a folder. */
  factsFor(repository: Repository, local: LocalRepository | undefined): Promise<Facts>;
  keep(): void;
}

export function onlineFacts({ packages, ruleset, observed, environment }: OnlineOptions): FactsSource {
  const host = connectForActions(remoteOptions(environment));
  const isNeeded = rulesThatNeed('published', ruleset).length > 0;
  const wantsScores = rulesThatNeed('scores', ruleset).length > 0;
  const { apiUrl } = remoteOptions(environment);
  const known: ActionScores = new Map();
  const ofPackages = packages && isNeeded ? registries(environment, 'PACKAGE') : undefined;
  const before = observed === undefined ? undefined : readObservations(observed);
  const after = observed === undefined ? undefined : readObservations(observed);
  return {
    async factsFor(repository, local) {
      const used = actionsUsedBy(repository);
      const asOf = nowOf(environment);
      const [network, published] = await Promise.all([
        host.readActions(used),
        ofPackages && local && readPublished(repository, () => manifestsOf(local), ofPackages),
      ]);
      if (after !== undefined && 'value' in network) observe(after, used, network.value, asOf);
      const scored = wantsScores ? await scoreActions(host, used, { network, known, apiUrl, asOf }) : undefined;
      return {
        ...NO_FACTS,
        network: scored?.network ?? network,
        ...(scored === undefined ? {} : { scores: scored.scores }),
        ...(published === undefined ? {} : { published: { value: published } }),
        ...(before === undefined ? {} : { observations: { value: before } }),
      };
    },
    keep() {
      if (observed !== undefined && after !== undefined) writeObservations(after, observed);
    },
  };
}

function manifestsOf({ folder, remote, given }: LocalRepository): Manifests | undefined {
  if (remote !== undefined || given !== undefined || !isRepository(folder)) return undefined;
  const files = filesBelow(folder, isManifest);
  return {
    paths: new Set(files.keys()),
    read: (name) => {
      const path = files.get(name);
      return path === undefined ? undefined : readInput(path, name, MAX_MANIFEST_BYTES).text;
    },
  };
}
