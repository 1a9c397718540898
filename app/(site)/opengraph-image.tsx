import { keptPicture } from '#lib/http/image-cache.ts';
import { describeLanding } from '#lib/services/pages/landing.ts';
import { drawChain } from '../components/domain/preview-chain.tsx';
import { PREVIEW_SIZE, previewImage } from '../components/domain/preview-image.tsx';

export const alt = 'An attack path and where it breaks';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

export default async function SiteImage() {
  const picture = await keptPicture('site', () => draw().arrayBuffer());
  return new Response(picture, { headers: { 'content-type': contentType, 'cache-control': 'public, max-age=86400' } });
}

function draw() {
  const { chain, rules, attackPaths } = describeLanding();
  return previewImage({
    subject: 'GitHub Actions security',
    title: 'Find the attack paths in your workflows',
    below: `${rules} rules, ${attackPaths} kinds of attack path, verified fixes`,
    children: drawChain(chain?.page.stages ?? []),
  });
}
