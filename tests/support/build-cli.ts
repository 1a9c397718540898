import { buildCli } from '#lib/tools/build-cli.mjs';

/** Runs once before all tests: they run the program as users do, bundled. */
export async function setup(): Promise<void> {
  await buildCli();
}
