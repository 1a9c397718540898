import type { MetadataRoute } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { listPublicPages } from '#lib/services/pages/public-pages.ts';
import { DOC_PAGES } from './components/docs/catalog.ts';

export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const context = pageContext(await headers());
  const docs = ['/docs', ...DOC_PAGES.map(({ slug }) => `/docs/${slug}`)];
  return [
    ...docs.map((path) => ({ url: `${context.env.webUrl}${path}` })),
    ...(await listPublicPages(context)).map(({ path, changedAt }) => ({
      url: `${context.env.webUrl}${path}`,
      ...(changedAt === undefined ? {} : { lastModified: changedAt }),
    })),
  ];
}
