import { buildCli } from '#lib/tools/build-cli.mjs';

/** Builds the bundle before all tests. */
export async function setup(): Promise<void> {
  await buildCli();
}
