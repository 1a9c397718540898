import { keptPicture } from '#lib/http/image-cache.ts';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { PREVIEW_SIZE, previewImage } from '../../../components/domain/preview-image.tsx';
import { SEVERITIES, SEVERITY_LABELS } from '../../../messages.ts';
import { loadReport } from './load.ts';

export const alt = 'Number of findings by severity';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

const COLORS = { HIGH: '#f97316', MEDIUM: '#f2d060', LOW: '#5aaaf0', INFO: '#748092' } as const;

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export default async function ReportImage({ params }: Props) {
  const { slug } = await params;
  const { report } = await loadReport(slug);
  const picture = await keptPicture(slug, () => draw(report).arrayBuffer());
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=86400, immutable' };
  return new Response(picture, { headers });
}

function draw({ repo, counts, scanned_at }: SharedReport['report']) {
  return previewImage({
    subject: 'workflow security',
    title: repo,
    below: `Scanned ${scanned_at.slice(0, 10)}`,
    children: (
      <div style={{ display: 'flex', gap: 28 }}>
        {SEVERITIES.map((severity) => (
          <div
            key={severity}
            style={{
              display: 'flex',
              flexDirection: 'column',
              width: 240,
              borderTop: `10px solid ${COLORS[severity]}`,
              paddingTop: 18,
            }}
          >
            <div style={{ fontSize: 76 }}>{String(counts[severity])}</div>
            <div style={{ fontSize: 32, color: '#9aa5b3' }}>{SEVERITY_LABELS[severity].label}</div>
          </div>
        ))}
      </div>
    ),
  });
}
