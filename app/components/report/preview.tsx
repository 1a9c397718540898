import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { SEVERITIES, SEVERITY_LABELS } from '../../messages.ts';
import { previewImage } from '../domain/preview-image.tsx';

const COLORS = { HIGH: '#f97316', MEDIUM: '#f2d060', LOW: '#5aaaf0', INFO: '#748092' } as const;

export function drawReport({ repo, counts, scanned_at }: SharedReport['report']) {
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
