import type { AdminDb } from './clients.ts';
import type { Database, Json } from './database.types.ts';
import type { Frozen } from './shapes/shape.ts';
import { unwrap, wasCutOff } from './unwrap.ts';

type Functions = Database['public']['Functions'];

/** SQL parameters accept null. All are required here, so that renaming one in SQL fails the type check. */
type Arguments<Name extends keyof Functions> = {
  readonly [Parameter in keyof Functions[Name]['Args']]-?: Functions[Name]['Args'][Parameter] | null;
};

/** Generated types know nothing about `jsonb` beyond JSON: the caller's declared type is its shape. */
type Returned<Name extends keyof Functions> = Json extends Functions[Name]['Returns']
  ? unknown
  : Frozen<Functions[Name]['Returns']> | null;

export async function call<Name extends keyof Functions, Result extends Returned<Name>>(
  db: AdminDb,
  name: Name,
  parameters: Arguments<Name>,
): Promise<Result> {
  return unwrap(await db.rpc(name, parameters as never)) as Result;
}

/**
 * Calls a function that is safe to repeat. If the connection ends before the answer, sends it once more, after `isDone`
 * had a chance to find the first result.
 */
export async function callAgain<Name extends keyof Functions, Result extends Returned<Name>>(
  db: AdminDb,
  name: Name,
  parameters: Arguments<Name>,
  isDone: () => Promise<Result | null> = async () => null,
): Promise<Result> {
  const first = await db.rpc(name, parameters as never);
  if (!wasCutOff(first)) return unwrap(first) as Result;
  return (await isDone()) ?? call(db, name, parameters);
}
