'use client';

import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';

const SHOWN_MS = 4_000;
const LABELS = { idle: '', copied: 'Copied', failed: 'Copying failed' } as const;

export function CopyButton({ label, text }: { readonly label: string; readonly text?: string }) {
  const [state, setState] = useState<keyof typeof LABELS>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text ?? location.href);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <span className="needs-script inline-flex items-center gap-2">
      <Button onClick={() => void copy()}>
        <Icon of={state === 'copied' ? CheckIcon : CopyIcon} />
        {label}
      </Button>
      <span role="status" className="text-xs text-muted">
        {LABELS[state]}
      </span>
    </span>
  );
}
