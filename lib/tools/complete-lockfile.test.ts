import { describe, expect, it } from 'vitest';
import { complete } from './complete-lockfile.mjs';

const parent = (optionalDependencies: Record<string, string>, more = {}) => ({
  version: '1.0.0',
  optionalDependencies,
  ...more,
});

describe('completing a lockfile', () => {
  it.each([
    ['@x/cli-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@x/cli-win32-x64-msvc', { cpu: ['x64'], os: ['win32'] }],
    ['@x/cli-linux-x64-gnu', { cpu: ['x64'], libc: ['glibc'], os: ['linux'] }],
    ['@x/cli-linux-arm-musleabihf', { cpu: ['arm'], libc: ['musl'], os: ['linux'] }],
    ['@x/cli-linux-arm64', { cpu: ['arm64'], os: ['linux'] }],
    ['@x-darwin/riscv64', { cpu: ['riscv64'], os: ['darwin'] }],
    ['@x/cli-wasm32-wasi', { cpu: ['wasm32'] }],
  ])('adds %s at the pinned version, for its platform alone', (name, platform) => {
    const packages = complete({ 'node_modules/x': parent({ [name]: '1.2.3-beta.1' }, { dev: true }) });
    expect(packages[`node_modules/${name}`]).toEqual({
      version: '1.2.3-beta.1',
      ...platform,
      dev: true,
      optional: true,
    });
  });

  it('keeps every entry, also one that is resolved beside its parent', () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/x': parent({ '@x/linux-x64': '1.0.0', '@x/linux-arm64': '1.0.0' }),
      'node_modules/x/node_modules/@x/linux-x64': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/@x/linux-arm64': { version: '1.0.0', integrity: 'sha512-b' },
    };
    expect(complete(packages)).toEqual(packages);
  });

  it('sorts as npm does', () => {
    const packages = {
      'node_modules/b': {},
      'node_modules/@x/a': {},
      'node_modules/a': parent({ 'a-linux-x64': '1.0.0' }),
    };
    expect(Object.keys(complete(packages))).toEqual([
      'node_modules/@x/a',
      'node_modules/a',
      'node_modules/a-linux-x64',
      'node_modules/b',
    ]);
  });

  it('refuses what it would have to guess', () => {
    expect(() => complete({ 'node_modules/x': parent({ '@x/linux-x64': '^1.0.0' }) })).toThrow(/does not pin/);
    expect(() => complete({ 'node_modules/x': parent({ fsevents: '2.3.3' }) })).toThrow(/no platform/);
  });
});
