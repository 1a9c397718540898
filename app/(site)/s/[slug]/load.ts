import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { AppError } from '#lib/errors.ts';
import { pageContext } from '#lib/http/page-context.ts';
import { readSharedReport, type SharedReport } from '#lib/services/public-scans/shared-report.ts';

const SLUG = /^[A-Za-z0-9_-]{1,64}$/;

export const loadReport = cache(async (slug: string): Promise<SharedReport> => {
  if (!SLUG.test(slug)) notFound();
  try {
    return await readSharedReport(pageContext(await headers()), slug);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not-found' || error.code === 'not-configured')) notFound();
    throw error;
  }
});
