import { env } from './lib/env.ts';

/** A wrong variable stops the start, not the first request: the framework itself would only log it. */
export function register(): void {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Wrong configuration.'}\n`);
    process.exit(1);
  }
}
