import { keptPicture } from '#lib/http/image-cache.ts';
import { PREVIEW_SIZE } from '../../../components/domain/preview-image.tsx';
import { drawReport } from '../../../components/report/preview.tsx';
import { loadReport } from './load.ts';

export const alt = 'Number of findings by severity';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export default async function ReportImage({ params }: Props) {
  const { slug } = await params;
  const { report } = await loadReport(slug);
  const picture = await keptPicture(slug, () => drawReport(report).arrayBuffer());
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=86400, immutable' };
  return new Response(picture, { headers });
}
