import { buildWeb } from './web.ts';

/** Builds the web app once before all files that serve it. */
export async function setup(): Promise<void> {
  await buildWeb();
}
