import { GraphQLError } from 'graphql';
import type { Acting } from './acting.ts';
import type { Ref } from './git.ts';
import type { SettingsView } from './graphql-settings.ts';
import type { Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import type { World } from './world.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Context {
  readonly acting: Acting;
  readonly world: World;
  readonly webUrl: string;
  readonly canSee: (repository: Repository) => boolean;
  readonly canRead: (repository: Repository) => boolean;
  readonly viewOf: (repository: Repository) => SettingsView;
  readonly repositoryFields: (repository: Repository) => Fields;
  readonly objectFields: (object: GitObject, repository: Repository) => Fields;
  readonly refFields: (ref: Ref, repository: Repository) => Fields;
  readonly notSimulated: Set<string>;
}

export function repositoryOf(id: string, { world, canSee }: Context): Repository {
  const found = world.repositories.find((repository) => `R_${repository.id}` === id);
  if (found === undefined || !canSee(found)) throw unresolvable(id);
  return found;
}

export function unresolvable(id: string): GraphQLError {
  return new GraphQLError(`Could not resolve to a node with the global id of '${id}'`, {
    extensions: { type: 'NOT_FOUND' },
  });
}
