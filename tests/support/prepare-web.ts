import { buildWeb } from './web.ts';

export async function setup(): Promise<void> {
  await buildWeb();
}
