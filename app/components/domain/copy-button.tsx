'use client';

import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';

const SHOWN_MS = 4_000;
const LABELS = { idle: '', copied: 'Copied', failed: 'Copying failed' } as const;

interface Props {
  readonly label: string;
  readonly text?: string | (() => string);
  readonly of?: string;
  readonly className?: string;
}

export function CopyButton({ label, text, of, className }: Props) {
  const [state, setState] = useState<keyof typeof LABELS>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : (text ?? location.href));
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <span className="needs-script inline-flex items-center gap-2">
      <Button onClick={() => void copy()} className={className ?? ''}>
        <Icon of={state === 'copied' ? CheckIcon : CopyIcon} />
        {label}
        {of !== undefined && <span className="sr-only"> {of}</span>}
      </Button>
      <span role="status" className="text-xs text-muted empty:absolute">
        {LABELS[state]}
      </span>
    </span>
  );
}
