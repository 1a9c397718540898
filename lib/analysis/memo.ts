import type { Repository } from '#lib/workflow/model/repository.ts';

/** What follows from all files of a repository together, found once. */
export function memoByRepository<Value>(find: (repository: Repository) => Value): (repository: Repository) => Value {
  const known = new WeakMap<Repository, { readonly value: Value }>();
  return (repository) => {
    repository.recordGlobalRead();
    let entry = known.get(repository);
    if (entry === undefined) {
      entry = { value: find(repository) };
      known.set(repository, entry);
    }
    return entry.value;
  };
}

/**
 * What follows from a part of a file and from what it calls, by keys. It is kept as long as the part, whatever becomes of
 * other files; where the whole repository was looked at, as long as that one.
 */
export class MemoByNode<Part extends object, Key, Value> {
  readonly #lasting = new WeakMap<Part, Map<Key, Value>>();
  readonly #passing = new WeakMap<Repository, WeakMap<Part, Map<Key, Value>>>();

  get(repository: Repository, part: Part, key: Key, find: () => Value): Value {
    const lasting = this.#lasting.get(part)?.get(key);
    if (lasting !== undefined) return lasting;
    const passing = this.#passing.get(repository)?.get(part)?.get(key);
    if (passing !== undefined) {
      repository.recordGlobalRead();
      return passing;
    }
    const looks = repository.globalReads;
    const value = find();
    mapOf(repository.globalReads === looks ? this.#lasting : this.#passingOf(repository), part).set(key, value);
    return value;
  }

  #passingOf(repository: Repository): WeakMap<Part, Map<Key, Value>> {
    const known = this.#passing.get(repository) ?? new WeakMap<Part, Map<Key, Value>>();
    this.#passing.set(repository, known);
    return known;
  }
}

function mapOf<Part extends object, Key, Value>(maps: WeakMap<Part, Map<Key, Value>>, part: Part): Map<Key, Value> {
  const known = maps.get(part) ?? new Map<Key, Value>();
  maps.set(part, known);
  return known;
}
