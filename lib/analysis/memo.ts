import type { Repository } from '#lib/workflow/model/repository.ts';

/** Memoizes a function that reads a node and the rest of its file. */
export function memoByNode<Node extends object, Value>(find: (node: Node) => Value): (node: Node) => Value {
  const known = new WeakMap<Node, { readonly value: Value }>();
  return (node) => {
    let entry = known.get(node);
    if (entry === undefined) {
      entry = { value: find(node) };
      known.set(node, entry);
    }
    return entry.value;
  };
}

export function memoByRepository<Value>(find: (repository: Repository) => Value): (repository: Repository) => Value {
  return memoByNode(find);
}

export function memoInRepository<Node extends object, Value>(
  find: (node: Node, repository: Repository) => Value,
): (node: Node, repository: Repository) => Value {
  const memoOf = memoByRepository((repository) => memoByNode((node: Node) => find(node, repository)));
  return (node, repository) => memoOf(repository)(node);
}

export class RepositoryMemo<Node extends object, Key, Value> {
  readonly #valuesOf = memoInRepository((_node: Node) => new Map<Key, { readonly value: Value }>());

  get(repository: Repository, node: Node, key: Key, find: () => Value): Value {
    const values = this.#valuesOf(node, repository);
    let entry = values.get(key);
    if (entry === undefined) {
      entry = { value: find() };
      values.set(key, entry);
    }
    return entry.value;
  }
}
