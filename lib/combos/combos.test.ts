import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import type { Combo, ComboExample } from './combo.ts';
import { combos } from './combos/index.ts';
import type { ScanEvidence } from './evidence.ts';
import { scanComboExample } from './example.ts';
import { type AttackPath, findPaths, foldPaths } from './match.ts';

function evidenceOf(example: ComboExample): ScanEvidence {
  const { diagnostics, evidence } = scanComboExample(example);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return evidence;
}

function pathsOf(combo: Combo, example: ComboExample): AttackPath[] {
  return findPaths(evidenceOf(example), {}, [combo]);
}

describe.each(combos.map((combo) => [combo.id, combo] as const))('%s', (_, combo) => {
  it.each(combo.examples.bad.map((example, index) => [index + 1, example] as const))(
    'finds bad example %i',
    (_index, example) => {
      const paths = pathsOf(combo, example);
      expect(paths.map(({ comboId, severity }) => [comboId, severity])).toEqual([
        [combo.id, example.severity ?? combo.severity],
      ]);
    },
  );

  it.each(combo.examples.good.map((example, index) => [index + 1, example] as const))(
    'is quiet on good example %i',
    (_index, example) => {
      expect(pathsOf(combo, example).map(({ comboId }) => comboId)).toEqual([]);
    },
  );

  it('disappears without the findings of the break rule', () => {
    for (const example of combo.examples.bad) {
      const evidence = evidenceOf(example);
      for (const path of findPaths(evidence, {}, [combo])) {
        const cut = new Set(path.cuts[0]);
        expect(path.components.filter(({ fingerprint }) => cut.has(fingerprint)).map(({ ruleId }) => ruleId)).toContain(
          path.breakChainRule,
        );
        const rest = { ...evidence, findings: evidence.findings.filter(({ fingerprint }) => !cut.has(fingerprint)) };
        expect(findPaths(rest, {}, [combo])).toEqual([]);
      }
    }
  });

  it('has the first bad example as its first good one, without the break rule’s finding', () => {
    const [[bad], [good]] = [combo.examples.bad, combo.examples.good];
    if (bad === undefined || good === undefined) throw new Error('no example');
    const [before, after] = [evidenceOf(bad), evidenceOf(good)];
    const paths = findPaths(before, {}, [combo]);
    const cut = new Set(paths.flatMap(({ cuts }) => cuts[0] ?? []));
    const rulesOfCut = new Set(paths.map(({ breakChainRule }) => breakChainRule));
    expect(cut.size).toBeGreaterThan(0);
    const others = new Set(before.findings.map(({ fingerprint }) => fingerprint).filter((each) => !cut.has(each)));
    const left = after.findings.filter(({ ruleId }) => rulesOfCut.has(ruleId));
    expect(left.filter(({ fingerprint }) => !others.has(fingerprint))).toEqual([]);
    expect(findPaths(after, {}, [combo])).toEqual([]);
  });

  it('refers to existing rules and slots', () => {
    const known = new Set(rules.map(({ id }) => id));
    for (const { any } of Object.values(combo.slots)) {
      for (const source of any) if ('rule' in source) expect(known).toContain(source.rule);
    }
    const slots = Object.keys(combo.slots);
    for (const { slot } of combo.stages) if (slot !== undefined) expect(slots).toContain(slot);
    for (const { unless } of combo.modifiers ?? []) if (unless !== undefined) expect(slots).toContain(unless.slot);
    for (const pair of combo.order ?? []) for (const slot of pair) expect(slots).toContain(slot);
    if ('from' in combo.join) for (const slot of combo.join.from) expect(slots).toContain(slot);
  });

  it('can be broken by findings alone', () => {
    const cut = combo.slots[combo.breakChain.slot];
    expect(cut?.optional).toBeUndefined();
    expect(cut?.any.every((source) => 'rule' in source)).toBe(true);
  });

  it('has all the texts that readers need', () => {
    expect(combo.id).toMatch(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
    expect(combo.title).toMatch(/[^.]$/);
    expect(combo.stages.length).toBeGreaterThan(1);
    for (const { title, description } of combo.stages) {
      expect(title).toMatch(/[^.]$/);
      expect(description).toMatch(/^[^]{20,}\.$/);
    }
    expect(combo.impact).toMatch(/^[^]{20,}\.$/);
    expect(combo.breakChain.text).toMatch(/^[^]{20,}\.$/);
    for (const { because } of combo.modifiers ?? []) expect(because).toMatch(/^[^]{20,}\.$/);
    expect(combo.references.length).toBeGreaterThan(0);
    for (const reference of combo.references) expect(reference).toMatch(/^https:\/\//);
    expect(combo.examples.bad.length).toBeGreaterThan(0);
    expect(combo.examples.good.length).toBeGreaterThan(0);
  });
});

it('lists every file once, in alphabetical order, under the id in its name', () => {
  const files = readdirSync('lib/combos/combos')
    .filter((name) => !['all.ts', 'index.ts'].includes(name))
    .map((name) => name.replace(/\.ts$/, ''));
  expect(combos.map(({ id }) => id)).toEqual([...files].sort());
});

function lossesOf(permissions: string, ...steps: string[]): string[] {
  const yaml = `on: { push: { tags: ['v*'] } }
permissions: ${permissions}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;
  return foldPaths(findPaths(evidenceOf({ yaml }))).map(({ comboId, severity }) => `${severity} ${comboId}`);
}

const ATTEST = '{ uses: actions/attest@v4, with: { subject-path: dist/* } }';
const RELEASE = '{ uses: softprops/action-gh-release@v2, with: { files: dist/app.zip } }';
const LOGIN =
  '{ uses: docker/login-action@0123456789abcdef0123456789abcdef01234567, with: { registry: ghcr.io, username: a, password: "${{ github.token }}" } }';
const PUSH_CHART = 'run: helm push app.tgz oci://ghcr.io/acme/charts';
const SIGNS = '{ contents: read, id-token: write, attestations: write }';
const SIGNS_AND_WRITES = '{ contents: write, id-token: write, attestations: write }';

it.each([
  [SIGNS, ['uses: somebody/setup@main', ATTEST], ['MEDIUM mutable-action-beside-oidc']],
  [SIGNS_AND_WRITES, [ATTEST, RELEASE], ['HIGH mutable-action-beside-write-token']],
  [SIGNS_AND_WRITES, [RELEASE], ['MEDIUM mutable-action-beside-write-token']],
  [
    '{ contents: read, packages: write, id-token: write }',
    ['uses: somebody/setup@v1', PUSH_CHART],
    ['MEDIUM mutable-action-beside-write-token'],
  ],
  [
    SIGNS_AND_WRITES,
    ['uses: somebody/release@master', 'run: git push origin main'],
    ['HIGH mutable-action-beside-write-token'],
  ],
  [
    SIGNS_AND_WRITES,
    [RELEASE, '{ run: npm publish, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM_TOKEN }}" } }'],
    ['HIGH mutable-action-beside-publish-token'],
  ],
  [
    SIGNS_AND_WRITES,
    ['uses: python-semantic-release/python-semantic-release@master'],
    ['HIGH mutable-action-beside-write-token'],
  ],
  ['{ contents: read, packages: write }', ['uses: somebody/setup@v1', LOGIN, 'run: docker pull ghcr.io/acme/app'], []],
  [
    '{ contents: read, packages: write }',
    [LOGIN.replace(/@\w+/, '@main'), 'run: docker push ghcr.io/acme/app'],
    ['MEDIUM mutable-action-beside-write-token'],
  ],
  [
    SIGNS,
    ['uses: actions/checkout@v7', 'uses: somebody/setup@v1', 'run: npm ci && npm run build', ATTEST, 'run: npm pack'],
    ['MEDIUM mutable-action-beside-oidc'],
  ],
  [SIGNS_AND_WRITES, [RELEASE, 'run: npm publish'], ['HIGH mutable-action-beside-oidc']],
])('names the worst loss of a job with %s and %s once', (permissions, steps, expected) => {
  expect(lossesOf(permissions, ...steps)).toEqual(expected);
});

it('names a forged signature once, whether or not build code runs beside it', () => {
  const [, split] = combos.find(({ id }) => id === 'provenance-without-isolation')?.examples.bad ?? [];
  const paths = split === undefined ? [] : foldPaths(findPaths(evidenceOf(split)));
  expect(paths.map(({ comboId, severity }) => `${severity} ${comboId}`)).toEqual([
    'MEDIUM provenance-without-isolation',
  ]);
});

it.each([
  ['{ contents: read, id-token: write }', 'run: npx jsr publish', true],
  ['{ contents: read, id-token: write }', 'uses: pypa/gh-action-pypi-publish@release/v1', true],
  ['{ contents: write, id-token: write }', 'run: gh release create v1 app.zip', true],
  ['{ contents: read, id-token: write }', 'run: npx jsr publish --dry-run', false],
  ['{ contents: read, id-token: write }', 'run: gh release create v1 app.zip', false],
  [
    '{ contents: read, id-token: write }',
    '{ run: npm publish, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM_TOKEN }}" } }',
    false,
  ],
])('tells whether a job with %s publishes through %s with a token of its own', (permissions, step, publishes) => {
  const yaml = `on: { push: { tags: ['v*'] } }
permissions: ${permissions}
jobs: { publish: { runs-on: ubuntu-latest, steps: [${step.startsWith('{') ? step : `{ ${step} }`}] } }
`;
  const identity = evidenceOf({ yaml }).facts.find(({ name }) => name === 'id-token-write');
  expect(identity?.attributes['publishes']).toBe(publishes);
});

const SETUP = `runs: { using: composite, steps: [{ uses: somebody/setup@v1 }] }
`;
const publishingIn = (job: string): string => `on: { push: { tags: ['v*'] } }
permissions: { contents: read }
jobs:
  ${job}:
    runs-on: ubuntu-latest
    steps:
      - uses: ./.github/actions/setup
      - { run: npm publish, env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" } }
`;

it.each([
  [{ '.github/workflows/release.yml': publishingIn('packages') }, ['.github/workflows/release.yml packages']],
  [
    { '.github/workflows/a.yml': publishingIn('first'), '.github/workflows/b.yml': publishingIn('second') },
    ['.github/workflows/a.yml first', '.github/workflows/b.yml second'],
  ],
])('places what an action brings into a job in that job: %j', (workflows, places) => {
  const yaml = { '.github/actions/setup/action.yml': SETUP, ...workflows };
  const paths = findPaths(
    evidenceOf({ yaml }),
    {},
    combos.filter(({ id }) => id === 'mutable-action-beside-publish-token'),
  );
  expect(paths.map(({ scope, file, job }) => `${scope} ${file} ${job}`)).toEqual(places.map((place) => `job ${place}`));
});
