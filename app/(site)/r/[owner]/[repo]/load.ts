import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { AppError } from '#lib/errors.ts';
import { pageContext } from '#lib/http/page-context.ts';
import { readNewestReport, type SharedReport } from '#lib/services/public-scans/shared-report.ts';

export const loadNewest = cache(async (owner: string, name: string): Promise<SharedReport> => {
  try {
    const report = await readNewestReport(pageContext(await headers()), { owner, name });
    if (report === null) notFound();
    return report;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-configured') notFound();
    throw error;
  }
});
