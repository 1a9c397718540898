'use client';

import { useEffect, useState } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function RelativeTime({ at }: { readonly at: string }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const update = () => setText(describe(Date.parse(at) - Date.now()));
    update();
    const timer = setInterval(update, 30_000);
    return () => clearInterval(timer);
  }, [at]);
  return (
    <>
      {' '}
      <span className="needs-script inline-block min-w-[15ch] text-muted">{text}</span>
    </>
  );
}

function describe(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return `(${RELATIVE.format(Math.trunc(seconds / length), unit)})`;
}
