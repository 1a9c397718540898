import * as z from 'zod/mini';
import { CodeHostFailure } from './errors.ts';

/** Octokit parses numbers beyond double precision as bigint. */
export const Id = z.union([z.number(), z.bigint()]);

export function understand<T>(shape: z.ZodMiniType<T>, answer: unknown): T {
  const parsed = shape.safeParse(answer);
  if (!parsed.success) throw new CodeHostFailure('unexpected', 'The response has an unexpected shape.');
  return parsed.data;
}

export async function unless(kinds: readonly ('missing' | 'forbidden')[], read: Promise<unknown>): Promise<unknown> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CodeHostFailure && kinds.some((kind) => kind === error.kind)) return undefined;
    throw error;
  }
}
