import type { MetadataRoute } from 'next';
import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';

export default async function robots(): Promise<MetadataRoute.Robots> {
  const { env } = pageContext(await headers());
  return { rules: { userAgent: '*', allow: '/', disallow: '/api/' }, sitemap: `${env.webUrl}/sitemap.xml` };
}
