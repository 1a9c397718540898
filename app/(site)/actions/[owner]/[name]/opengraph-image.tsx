import { keptPicture } from '#lib/http/image-cache.ts';
import type { ActionPage } from '#lib/services/pages/action-page.ts';
import { PREVIEW_SIZE, previewImage } from '../../../../components/domain/preview-image.tsx';
import { BAND_LABELS } from '../../../../messages.ts';
import { loadAction } from './load.ts';

export const alt = 'Risk score and band';
export const size = PREVIEW_SIZE;
export const contentType = 'image/png';

const COLORS = { A: '#5fd38d', B: '#5aaaf0', C: '#f2d060', D: '#f97316', F: '#ff7ba0' } as const;
const GREY = '#9aa5b3';

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly name: string }>;
}

export default async function ActionImage({ params }: Props) {
  const { owner, name } = await params;
  const action = await loadAction(owner, name);
  const key = `action ${owner}/${name} ${action.latest?.scoredAt ?? action.status}`;
  const picture = await keptPicture(key, () => draw(action).arrayBuffer());
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=300' };
  return new Response(picture, { headers });
}

function draw({ owner, name, latest }: ActionPage) {
  const band = latest?.shownBand ?? null;
  const color = band === null ? GREY : COLORS[band];
  const words = latest === null ? 'Not scored yet' : band === null ? 'Provisional' : BAND_LABELS[band].label;
  return previewImage({
    subject: 'risk score',
    title: `${owner}/${name}`,
    below: latest === null ? '' : `${latest.ref ?? latest.sha.slice(0, 7)}, scored ${latest.scoredAt.slice(0, 10)}`,
    children: (
      <div style={{ display: 'flex', alignItems: 'center', gap: 44 }}>
        <div
          style={{
            display: 'flex',
            alignItems: 'center',
            justifyContent: 'center',
            width: 180,
            height: 180,
            borderRadius: 32,
            border: `10px solid ${color}`,
            color,
            fontSize: 112,
          }}
        >
          {band ?? '?'}
        </div>
        <div style={{ display: 'flex', flexDirection: 'column' }}>
          <div style={{ fontSize: 76 }}>{latest === null ? '-' : `${latest.score} / 100`}</div>
          <div style={{ fontSize: 36, color: GREY }}>{words}</div>
        </div>
      </div>
    ),
  });
}
