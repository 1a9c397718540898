'use client';

import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';

interface Props {
  readonly owner: string;
  readonly name: string;
  readonly label?: string;
}

export function ScoreRequest({ owner, name, label = 'Score this action' }: Props) {
  const [sent, setSent] = useState(false);
  useEffect(() => {
    const reset = ({ persisted }: PageTransitionEvent) => persisted && setSent(false);
    addEventListener('pageshow', reset);
    return () => removeEventListener('pageshow', reset);
  }, []);
  return (
    <form method="post" action="/actions/request" onSubmit={() => setSent(true)}>
      <input type="hidden" name="action" value={`${owner}/${name}`} />
      <Button type="submit" variant="primary" disabled={sent}>
        {sent ? 'Reading and scoring' : label}
      </Button>
      <p role="status" className="mt-2 text-sm text-muted empty:mt-0">
        {sent && 'This takes up to ten seconds. No code of the action is run.'}
      </p>
    </form>
  );
}
