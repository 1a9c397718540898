import { notFound } from 'next/navigation';
import { keptPicture } from '#lib/http/image-cache.ts';
import { readCombinationPage } from '#lib/services/pages/combination-page.ts';
import { drawChain } from '../../../components/domain/preview-chain.tsx';
import { PREVIEW_SIZE, previewImage } from '../../../components/domain/preview-image.tsx';
import { COMBINATION_SEVERITY_LABELS } from '../../../messages.ts';

export const alt = 'The stages of an attack path and where it breaks';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export default async function AttackPathImage({ params }: Props) {
  const { id } = await params;
  const page = readCombinationPage(id);
  if (page === undefined) notFound();
  const picture = await keptPicture(`combination ${id}`, () =>
    previewImage({
      subject: `${COMBINATION_SEVERITY_LABELS[page.severity].label.toLowerCase()} attack path`,
      title: page.title,
      below: 'Dashed: break the chain here',
      children: drawChain(page.stages),
    }).arrayBuffer(),
  );
  return new Response(picture, { headers: { 'content-type': contentType, 'cache-control': 'public, max-age=86400' } });
}
