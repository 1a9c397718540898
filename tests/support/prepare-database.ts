import { readTemplate } from './template.ts';

export async function setup(): Promise<void> {
  await readTemplate();
}
