import { ImageResponse } from 'next/og';
import { keptPicture } from '#lib/http/image-cache.ts';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { SEVERITIES, SEVERITY_LABELS, SITE } from '../../../messages.ts';
import { loadReport } from './load.ts';

export const alt = 'Number of findings by severity';
export const size = { width: 1200, height: 630 };
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

function draw(report: SharedReport['report']): ImageResponse {
  return new ImageResponse(
    <div
      style={{
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        width: '100%',
        height: '100%',
        padding: 72,
        background: '#0d1117',
        color: '#e8ecf2',
      }}
    >
      <div style={{ display: 'flex', flexDirection: 'column' }}>
        <div style={{ fontSize: 34, color: '#9aa5b3' }}>{`${SITE.name}: workflow security`}</div>
        <div style={{ marginTop: 20, fontSize: report.repo.length > 34 ? 48 : 68, wordBreak: 'break-all' }}>
          {plain(report.repo)}
        </div>
      </div>
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
            <div style={{ fontSize: 76 }}>{String(report.counts[severity])}</div>
            <div style={{ fontSize: 32, color: '#9aa5b3' }}>{SEVERITY_LABELS[severity].label}</div>
          </div>
        ))}
      </div>
      <div style={{ fontSize: 28, color: '#9aa5b3' }}>{`Scanned ${report.scanned_at.slice(0, 10)}`}</div>
    </div>,
    size,
  );
}

/** Other characters would make the renderer fetch a font. */
function plain(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 120);
}
