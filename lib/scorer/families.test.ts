import { describe, expect, it } from 'vitest';
import { evaluate, FAMILIES_OF_SIGNALS, readSignals } from './evaluate.ts';
import type { CollectedFacts } from './facts.ts';
import { FLAWLESS } from './flawless.ts';
import { score } from './score.ts';
import type { Reading } from './signal.ts';

const signals = FAMILIES_OF_SIGNALS.flatMap((family) => family.signals.map((signal) => ({ family, ...signal })));

function read(id: string, facts: Partial<CollectedFacts>): Reading | undefined {
  return readSignals({ ...FLAWLESS, ...facts }).find((signal) => signal.id === id);
}

describe.each(signals)('$id', ({ id, examples, means }) => {
  it.each(examples.present.map((example, index) => [index + 1, ...example] as const))(
    'is present in example %i',
    (_index, n, facts) => {
      expect(read(id, facts)).toMatchObject({ state: 'present', n });
    },
  );

  it.each(examples.absent.map((facts, index) => [index + 1, facts] as const))('is absent in example %i', (_, facts) => {
    expect(read(id, facts)).toMatchObject({ state: 'absent' });
  });

  it.each((examples.unknown ?? []).map((facts, index) => [index + 1, facts] as const))(
    'is unknown, with a reason, in example %i',
    (_, facts) => {
      expect(read(id, facts)).toMatchObject({ state: 'unknown', reason: expect.any(String) });
    },
  );

  it('has a sentence for people, and evidence that adds to it without repeating it', () => {
    expect(means).toMatch(/^[A-Z].{10,200}\.$/);
    const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\w’]+/g) ?? [];
    const said = wordsOf(means).join(' ');
    for (const [, facts] of examples.present) {
      const reading = read(id, facts);
      const words = wordsOf(reading?.state === 'present' ? reading.evidence : '');
      expect(words.filter((word) => !said.includes(word))).not.toEqual([]);
      const repeated = words.map((_, index) => words.slice(index, index + 4)).filter(({ length }) => length === 4);
      expect(repeated.filter((four) => said.includes(four.join(' ')))).toEqual([]);
    }
  });
});

describe('the catalog of signals', () => {
  it('has each signal once, with points that never fall', () => {
    expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
    for (const {
      points: [first, next, max],
    } of signals) {
      expect(first).toBeGreaterThan(0);
      expect(next).toBeGreaterThanOrEqual(0);
      expect(max).toBeGreaterThanOrEqual(first);
    }
  });

  it('finds nothing in a flawless action', () => {
    const attempt = evaluate(FLAWLESS);
    expect('evaluation' in attempt && attempt.evaluation).toMatchObject({
      score: 100,
      scoreFloor: 100,
      band: 'A',
      coverage: 1,
      provisional: false,
      advisoriesKnown: true,
      hardBlock: [],
    });
  });

  it('is the table of its version: other points need another version', () => {
    const table = FAMILIES_OF_SIGNALS.map(({ id, cap, signals: own }) => [
      `${id} ${cap}`,
      ...own.map(({ id: signal, points, group = '-', blocks = false }) =>
        [signal, points.join('/'), group, ...(blocks ? ['blocks'] : [])].join(' '),
      ),
    ]);
    expect([score([], '1.0.0').algorithmVersion, ...table]).toMatchInlineSnapshot(`
      [
        "1.0.0",
        [
          "static 45",
          "malicious-code-shape 40/0/40 -",
          "composite-injection-context 25/5/35 -",
          "composite-injection-input 15/3/24 -",
          "remote-code-unverified 15/5/25 -",
          "nested-uses-branch 10/4/20 -",
          "nested-uses-third-party-tag 6/3/15 -",
          "nested-uses-trusted-tag 2/1/5 -",
          "docker-image-latest 18/0/18 -",
          "docker-image-tag 8/0/8 -",
          "dockerfile-from-unpinned 5/0/5 -",
          "github-env-write-from-input 10/0/10 -",
          "insecure-commands 5/0/5 -",
          "runtime-unsupported 10/0/10 runtime",
          "runtime-deprecated 4/0/4 runtime",
          "dist-mismatch 20/0/20 dist",
          "dist-unverifiable 4/0/4 dist",
          "publisher-ci-critical 15/5/20 -",
          "publisher-ci-high 6/2/10 -",
        ],
        [
          "metadata 20",
          "archived 15/0/15 abandoned",
          "stale-24m 8/0/8 abandoned",
          "stale-12m 4/0/4 abandoned",
          "single-maintainer 5/0/5 -",
          "unverified-creator 2/0/2 -",
          "owner-account-new 8/0/8 -",
          "typosquat-suspect 15/0/15 -",
          "no-security-policy 2/0/2 -",
          "no-license 1/0/1 -",
          "low-adoption 2/0/2 -",
        ],
        [
          "tag 40",
          "mass-retag 40/0/40 - blocks",
          "exact-tag-moved 25/5/40 -",
          "exact-tag-moved-early 5/0/5 -",
          "recent-drift-in-repo 8/0/8 -",
          "unreachable-commit 30/0/30 reachability blocks",
          "tag-only-commit 2/0/2 reachability",
          "repo-identity-changed 30/0/30 - blocks",
          "ref-shadowing 10/0/10 -",
          "no-exact-tags 8/0/8 -",
          "exact-tag-deleted 8/2/12 -",
          "no-immutable-release 6/0/6 mutable-releases",
          "latest-release-mutable 3/0/3 mutable-releases",
          "unsigned-commit 2/0/2 -",
          "fresh-7d 3/0/3 -",
        ],
        [
          "advisory 100",
          "malware-this-commit 100/0/100 - blocks",
          "malware-mapping-unknown 40/0/40 -",
          "vuln-critical 45/10/60 -",
          "vuln-high 30/8/50 -",
          "vuln-moderate 15/5/30 -",
          "vuln-low 5/2/10 -",
          "vuln-mapping-unknown 10/0/10 -",
          "compromised-365d 8/0/8 compromised",
          "compromised-older 3/0/3 compromised",
          "dep-vuln-critical 4/2/8 -",
          "dep-vuln-high 2/1/5 -",
        ],
      ]
    `);
  });
});
