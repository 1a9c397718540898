import { ImageResponse } from 'next/og';
import type { ReactNode } from 'react';
import { SITE } from '../../site.ts';

export const PREVIEW_SIZE = { width: 1200, height: 630 };

interface Props {
  readonly subject: string;
  readonly title: string;
  readonly below: string;
  readonly children: ReactNode;
}

export function previewImage({ subject, title, below, children }: Props): ImageResponse {
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
        <div style={{ fontSize: 34, color: '#9aa5b3' }}>{`${SITE.name}: ${subject}`}</div>
        <div style={{ marginTop: 20, fontSize: title.length > 34 ? 48 : 68, wordBreak: 'break-all' }}>
          {plain(title)}
        </div>
      </div>
      {children}
      <div style={{ fontSize: 28, color: '#9aa5b3' }}>{plain(below)}</div>
    </div>,
    PREVIEW_SIZE,
  );
}

/** Other characters would make the renderer fetch a font. */
function plain(text: string): string {
  return text
    .replaceAll('’', "'")
    .replace(/[^\u0020-\u007e]/g, '?')
    .slice(0, 120);
}
