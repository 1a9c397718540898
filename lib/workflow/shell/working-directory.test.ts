import { describe, expect, it } from 'vitest';
import { trimPath } from './working-directory.ts';

describe('paths', () => {
  it('are written relative to the workspace', () => {
    expect(trimPath('${{ github.workspace }}/a/')).toBe('a');
    expect(trimPath('.')).toBe('');
    expect(trimPath('./')).toBe('');
    expect(trimPath('$GITHUB_WORKSPACE')).toBe('');
  });
});
