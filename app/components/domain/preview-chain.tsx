import type { ReactNode } from 'react';

export function drawChain(stages: readonly { readonly title: string; readonly breaks: boolean }[]): ReactNode {
  return (
    <div style={{ display: 'flex', gap: 24 }}>
      {stages.slice(0, 4).map(({ title, breaks }) => (
        <div
          key={title}
          style={{
            display: 'flex',
            flex: 1,
            border: breaks ? '4px dashed #5fd38d' : '4px solid #6b7787',
            borderRadius: 14,
            padding: '18px 20px',
            fontSize: 28,
            color: breaks ? '#5fd38d' : '#e8ecf2',
          }}
        >
          {title.replace(/[^\u0020-\u007e]/g, "'")}
        </div>
      ))}
    </div>
  );
}
