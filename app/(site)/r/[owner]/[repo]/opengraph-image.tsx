import { keptPicture } from '#lib/http/image-cache.ts';
import { PREVIEW_SIZE } from '../../../../components/domain/preview-image.tsx';
import { drawReport } from '../../../../components/report/preview.tsx';
import { loadNewest } from './load.ts';

export const alt = 'Number of findings by severity';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly repo: string }>;
}

export default async function NewestReportImage({ params }: Props) {
  const { owner, repo } = await params;
  const { report } = await loadNewest(owner, repo);
  const picture = await keptPicture(report.slug, () => drawReport(report).arrayBuffer());
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=3600' };
  return new Response(picture, { headers });
}
