import { describe, expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { shareLeg } from './matrix-legs.ts';

function share(strategy: string, first: string, second: string, runsOn = 'x'): boolean {
  const text = `on: push\njobs:\n  a:\n    runs-on: ${runsOn}\n${strategy === '' ? '' : `    strategy: { matrix: ${strategy} }\n`}    steps:\n      - { run: make${first} }\n      - { run: make${second} }\n`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const [one, other] = (repository.workflows[0]?.jobs[0]?.steps ?? []) as [Step, Step];
  expect(shareLeg(other, one)).toBe(shareLeg(one, other));
  return shareLeg(one, other);
}

const when = (condition: string): string => `, if: "${condition}"`;
const OS = '{ os: [linux, mac], mode: [debug, release] }';
const RUNNERS = '{ include: [{ on: ubuntu-24.04, kind: deb }, { on: macos-latest, kind: tar }] }';

describe('steps that never share a leg', () => {
  it.each([
    [OS, "matrix.os == 'linux'", "matrix.os == 'mac'"],
    [OS, "matrix.os == 'linux'", "matrix.os != 'LINUX'"],
    [OS, "${{ matrix.OS == 'linux' }}", "startsWith(matrix.os, 'm') && github.ref == 'refs/heads/main'"],
    [OS, "matrix.os == 'linux' && matrix.mode == 'debug'", "always() && matrix.mode == 'release'"],
    ['{ os: [a, b], include: [{ os: a, signed: true }] }', 'matrix.signed', "matrix.os == 'b'"],
    ['{ os: [a, b], include: [{ os: a, signed: true }] }', 'matrix.signed == true', '!matrix.signed'],
    ['{ os: [a, b], kind: [x, y], exclude: [{ os: b, kind: y }] }', "matrix.os == 'b'", "matrix.kind == 'y'"],
    ['{ on: [{ name: a, node: 20 }, { name: b, node: 22 }] }', "matrix.on.name == 'a'", 'matrix.on.node == 22'],
    ['{ include: [{ os: a }, { kind: y }] }', "matrix.os == 'a'", "matrix.kind == 'y'"],
    ['{ os: [a, b], include: [{ os: a, key: "${{ vars.X }}" }] }', "matrix.os == 'a'", "matrix.os == 'b'"],
    ['"${{ fromJSON(vars.X) }}"', "runner.os == 'Linux'", "runner.os == 'macOS'"],
    ['', "runner.os == 'Linux'", "runner.os != 'Linux'"],
  ])('%s: %s and %s', (strategy, first, second) => {
    expect(share(strategy, when(first), when(second))).toBe(false);
  });

  it.each([
    ['${{ matrix.on }}', RUNNERS],
    ['[self-hosted, "${{ matrix.on }}"]', RUNNERS],
    ['{ labels: "${{ matrix.on }}", group: g }', RUNNERS],
    ['"${{ matrix.on }}-latest"', '{ include: [{ on: ubuntu, kind: deb }, { on: macos, kind: tar }] }'],
  ])('runners %s of %s', (runsOn, strategy) => {
    expect(share(strategy, when("matrix.kind == 'deb'"), when("runner.os == 'macOS'"), runsOn)).toBe(false);
    expect(share(strategy, when("matrix.kind == 'tar'"), when("runner.os == 'macOS'"), runsOn)).toBe(true);
  });
});

describe('steps that may share a leg', () => {
  it.each([
    [OS, "matrix.os == 'linux'", "matrix.mode == 'debug'"],
    [OS, "matrix.os == 'linux'", "matrix.os == 'linux'"],
    [OS, "matrix.os == 'linux'", "matrix.os == 'mac' || github.ref == 'refs/heads/main'"],
    [OS, "matrix.os == 'linux'", 'matrix.os == inputs.os'],
    [OS, "matrix.os == 'linux'", "matrix.kind == 'unheard'"],
    [OS, "matrix.os == 'linux'", 'matrix[inputs.key]'],
    [OS, "matrix.os == 'windows'", "matrix.os == 'mac'"],
    ['"${{ fromJSON(vars.X) }}"', "matrix.os == 'linux'", "matrix.mode == 'mac'"],
    ['{ os: ["${{ vars.X }}", b] }', "matrix.os == 'a'", "matrix.os == 'b'"],
    ['{ os: [a, b], include: "${{ fromJSON(vars.X) }}" }', "matrix.os == 'a'", "matrix.kind == 'y'"],
    ['{ os: [a, b], include: ["${{ vars.X }}"] }', "matrix.os == 'a'", "matrix.kind == 'y'"],
    ['{ os: [a, b], include: [{ os: "${{ vars.X }}", kind: y }] }', "matrix.os == 'a'", "matrix.kind == 'y'"],
    ['{ os: [a, b], include: [{ kind: y }] }', "matrix.os == 'a'", "matrix.kind == 'y'"],
    ['{ os: [a, b], kind: [x, y], exclude: [{ os: a, kind: y }] }', "matrix.os == 'b'", "matrix.kind == 'y'"],
    ['{ os: [a, b], include: [{ os: a, key: "${{ vars.X }}" }, { os: b }] }', "matrix.os == 'a'", "matrix.key == 'y'"],
    ['{ os: [[a, b], [c]] }', "contains(matrix.os, 'a')", "contains(matrix.os, 'c')"],
    [RUNNERS, "matrix.kind == 'deb'", "runner.os == 'Linux'"],
    [RUNNERS, "matrix.kind == 'deb'", "runner.arch == 'ARM64'"],
  ])('%s: %s and %s', (strategy, first, second) => {
    expect(share(strategy, when(first), when(second))).toBe(true);
  });

  it.each([[''], [when('always()')]])('as one has no condition on it: %s', (second) => {
    expect(share(OS, when("matrix.os == 'linux'"), second)).toBe(true);
  });

  it('as the runner of a leg is chosen elsewhere', () => {
    const conditions = [when("matrix.kind == 'deb'"), when("runner.os == 'macOS'")] as const;
    expect(share(RUNNERS, ...conditions, '${{ inputs.on }}')).toBe(true);
    expect(share(RUNNERS, ...conditions, 'builders')).toBe(true);
  });
});

it('a matrix with more values than a run reads counts as unknown', () => {
  const keys = Array.from({ length: 2_000 }, (_, index) => `k${index}: v`).join(', ');
  const wide = (count: number): string => `{ include: [{ os: a, ${keys} }${', { os: b }'.repeat(count)}] }`;
  const conditions = [when("matrix.os == 'a'"), when("matrix.os == 'b'")] as const;
  expect(share(wide(1), ...conditions)).toBe(false);
  expect(share(wide(200), ...conditions)).toBe(true);
  const many = (count: number): string =>
    `{ os: [a, b], ${Array.from({ length: count }, (_, index) => `k${index}: [v]`).join(', ')} }`;
  expect(share(many(20), ...conditions)).toBe(false);
  expect(share(many(500), ...conditions)).toBe(true);
  const merged = (count: number): string =>
    `{ os: [a, b], n: [${'1, '.repeat(100)}2], include: [{ ${keys.split(', ').slice(0, count).join(', ')} }] }`;
  expect(share(merged(60), ...conditions)).toBe(false);
  expect(share(merged(2_000), ...conditions)).toBe(true);
});
