import { getOperationAST, Kind, parse, valueFromASTUntyped, visit } from 'graphql';
import type { World } from './world.ts';

export interface Touched {
  readonly repositories: readonly string[];
  readonly fields: readonly string[];
}

export function touchedBy(sent: Readonly<Record<string, unknown>> | undefined, world: World): Touched {
  const query = sent?.['query'];
  if (typeof query !== 'string') return { repositories: [], fields: [] };
  const variables = (sent?.['variables'] ?? {}) as Readonly<Record<string, unknown>>;
  const names = new Set<string>();
  const add = (repository: ReturnType<World['repository']>): void => {
    if (repository !== undefined) names.add(world.fullNameOf(repository).toLowerCase());
  };
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      const [, kind, id] = /^(R|PR|REF)_(\d+)(?:_|$)/.exec(value) ?? [];
      const request = kind === 'PR' ? world.pullRequestById(Number(id)) : undefined;
      if (id !== undefined) add(world.repositoryById(kind === 'PR' ? (request?.repositoryId ?? 0) : Number(id)));
      else if (value.includes('/')) add(world.repository(value, false));
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { owner, name } = value as { readonly owner?: unknown; readonly name?: unknown };
    if (typeof owner === 'string' && typeof name === 'string') add(world.repository(`${owner}/${name}`, false));
    for (const [key, child] of Object.entries(value)) if (key !== 'fileChanges') collect(child);
  };
  try {
    const document = parse(query, { noLocation: true });
    visit(document, {
      Field(field) {
        const given = (field.arguments ?? []).map(({ name, value }) => [
          name.value,
          valueFromASTUntyped(value, variables),
        ]);
        collect(Object.fromEntries(given));
      },
    });
    const operationName = sent?.['operationName'];
    const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : null);
    const selections = operation?.selectionSet.selections ?? [];
    const fields = selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
    return { repositories: [...names], fields };
  } catch {
    return { repositories: [], fields: [] };
  }
}
