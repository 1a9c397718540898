import type { MetadataRoute } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { listPublicPages } from '#lib/services/pages/public-pages.ts';

export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const context = pageContext(await headers());
  return (await listPublicPages(context)).map(({ path, changedAt }) => ({
    url: `${context.env.webUrl}${path}`,
    ...(changedAt === undefined ? {} : { lastModified: changedAt }),
  }));
}
