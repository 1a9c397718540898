import { headers } from 'next/headers';
import { notFound, permanentRedirect, redirect } from 'next/navigation';
import { cache } from 'react';
import { AppError } from '#lib/errors.ts';
import { pageContext } from '#lib/http/page-context.ts';
import { type ActionPage, readActionPage } from '#lib/services/pages/action-page.ts';

export const loadAction = cache(async (owner: string, name: string): Promise<ActionPage> => {
  const action = await read(owner, name);
  const path = `/actions/${action.owner}/${action.name}`;
  if (path === `/actions/${owner}/${name}`) return action;
  if (path.toLowerCase() === `/actions/${owner}/${name}`.toLowerCase()) permanentRedirect(path);
  redirect(path);
});

async function read(owner: string, name: string): Promise<ActionPage> {
  try {
    return await readActionPage(pageContext(await headers()), owner, name);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not-found' || error.code === 'not-configured')) notFound();
    throw error;
  }
}
