import { expect, it, onTestFinished, vi } from 'vitest';
import { Progress } from './progress.ts';

it('draws the name of a folder on one line, without what steers a terminal', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let written = '';
  const stream = { isTTY: true, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  const progress = new Progress(2, stream);
  vi.advanceTimersByTime(1_500);
  progress.advance('\u001B]0;pwned\u0007\n\u009B2Jx\u202E');
  expect(written).toBe(
    `\r\u001B[K${'█'.repeat(10)}${'░'.repeat(10)} 1/2 ${'<U+001B>]0;pwned<U+0007><U+000A><U+009B>2Jx<U+202E>'.slice(0, 50)}`,
  );
  progress.end();
  expect(written).toMatch(/\r\u001B\[K$/);
});
