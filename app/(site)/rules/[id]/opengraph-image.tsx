import { notFound } from 'next/navigation';
import { keptPicture } from '#lib/http/image-cache.ts';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { PREVIEW_SIZE, previewImage } from '../../../components/domain/preview-image.tsx';
import { CATEGORY_LABELS, SEVERITY_LABELS } from '../../../messages.ts';

export const alt = 'A rule with its severity and category';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

const COLORS = { HIGH: '#f97316', MEDIUM: '#f2d060', LOW: '#5aaaf0', INFO: '#748092' } as const;

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export default async function RuleImage({ params }: Props) {
  const { id } = await params;
  const page = readRulePage(id);
  if (page === undefined) notFound();
  const { title, severity, category } = page.meta;
  const picture = await keptPicture(`rule ${id}`, () =>
    previewImage({
      subject: `rule ${id}`,
      title,
      below: `${category} ${CATEGORY_LABELS[category] ?? ''}`,
      children: (
        <div style={{ display: 'flex', borderLeft: `14px solid ${COLORS[severity]}`, paddingLeft: 24, fontSize: 52 }}>
          {`${SEVERITY_LABELS[severity].label} severity`}
        </div>
      ),
    }).arrayBuffer(),
  );
  return new Response(picture, { headers: { 'content-type': contentType, 'cache-control': 'public, max-age=86400' } });
}
