import { env } from './lib/env.ts';

/** A wrong variable stops the start, not the first request. */
export function register(): void {
  env();
}
