import { buildCli } from '#lib/tools/build-cli.mjs';

export async function setup(): Promise<void> {
  await buildCli();
}
