import { readTemplate } from './template.ts';

/** Makes the database template before any file waits for it. */
export async function setup(): Promise<void> {
  await readTemplate();
}
