import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { scanRepository } from '../scan.ts';
import { normalize } from './fingerprint.ts';

interface StepPlan {
  readonly name: string;
  readonly uses: string;
  readonly ref: string;
}
interface JobPlan {
  readonly id: string;
  readonly steps: readonly StepPlan[];
}

const names = fc.stringMatching(/^[a-z]{3,8}$/);
const refs = fc.oneof(fc.stringMatching(/^v[1-9]$/), fc.stringMatching(/^v[1-9]\.[0-9]\.[0-9]$/), fc.constant('main'));
const plans: fc.Arbitrary<readonly JobPlan[]> = fc.uniqueArray(
  fc.record({
    id: names,
    steps: fc.uniqueArray(
      fc.record({ name: names, uses: fc.tuple(names, names).map(([owner, repo]) => `${owner}/${repo}`), ref: refs }),
      { minLength: 1, maxLength: 4, selector: ({ name }) => name },
    ),
  }),
  { minLength: 1, maxLength: 4, selector: ({ id }) => id },
);

function render(jobs: readonly JobPlan[], blank = 0): string {
  const lines = ['on: push', ...Array<string>(blank).fill('# a comment'), 'jobs:'];
  for (const { id, steps } of jobs) {
    lines.push(`  ${id}:`, '    runs-on: ubuntu-latest', '    steps:');
    for (const { name, uses, ref } of steps) {
      lines.push(...Array<string>(blank).fill(''), `      - name: ${name}`, `        uses: ${uses}@${ref}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function fingerprints(text: string, path = '.github/workflows/ci.yml'): string[] {
  const { findings } = scanRepository(createRepository([{ path, text }]));
  return findings.filter(({ ruleId }) => ruleId === 'unpinned-uses').map(({ fingerprint }) => fingerprint);
}

describe('a fingerprint', () => {
  it('survives inserted lines', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 5 }), (jobs, blank) => {
        expect(fingerprints(render(jobs, blank))).toEqual(fingerprints(render(jobs)));
      }),
    );
  });

  it('survives reordered jobs', () => {
    fc.assert(
      fc.property(plans, (jobs) => {
        expect(fingerprints(render([...jobs].reverse())).sort()).toEqual(fingerprints(render(jobs)).sort());
      }),
    );
  });

  it('survives a bumped tag, also to a short hash', () => {
    fc.assert(
      fc.property(plans, refs, (jobs, ref) => {
        const bumped = jobs.map((job) => ({ ...job, steps: job.steps.map((step) => ({ ...step, ref })) }));
        expect(fingerprints(render(bumped))).toEqual(fingerprints(render(jobs)));
      }),
    );
  });

  it('survives the removal of other jobs', () => {
    fc.assert(
      fc.property(plans, (jobs) => {
        const all = new Set(fingerprints(render(jobs)));
        expect(fingerprints(render(jobs.slice(1))).every((fingerprint) => all.has(fingerprint))).toBe(true);
      }),
    );
  });

  it('differs between any two places', () => {
    fc.assert(
      fc.property(plans, (jobs) => {
        const all = fingerprints(render(jobs));
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('differs between identical steps, by their order', () => {
    const step = { name: 'same', uses: 'acme/tool', ref: 'v1' };
    const twice = fingerprints(render([{ id: 'build', steps: [step, step] }]));
    expect(new Set(twice).size).toBe(2);
    expect(fingerprints(render([{ id: 'build', steps: [step] }]))).toEqual(twice.slice(0, 1));
  });

  it('differs between files', () => {
    const text = render([{ id: 'build', steps: [{ name: 'a', uses: 'acme/tool', ref: 'v1' }] }]);
    expect(fingerprints(text)).not.toEqual(fingerprints(text, '.github/workflows/other.yml'));
  });

  it('is a SHA-256 in hexadecimal that is stable across releases', () => {
    const text = render([{ id: 'build', steps: [{ name: 'a', uses: 'acme/tool', ref: 'v1' }] }]);
    expect(fingerprints(text)).toMatchInlineSnapshot(`
      [
        "7680baf7e84e3accfee1e99578e8ad7e5775f526754f59081325a9c527beac86",
      ]
    `);
  });
});

describe('normalize removes what an update changes', () => {
  it.each([
    ['actions/checkout@v4', 'actions/checkout'],
    ['actions/cache/restore@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0', 'actions/cache/restore'],
    [
      'ghcr.io/acme/app:1.2.3@sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
      'ghcr.io/acme/app',
    ],
    ['pip install foo==1.2.3', 'pip install foo=='],
    ['echo   two\n  lines', 'echo two lines'],
    ['${{ github.event.issue.title }}', '${{ github.event.issue.title }}'],
    ['acme/tool@pkg/name@next', 'acme/tool@next'],
    ['acme/tool@a@b/c@d', 'acme/tool@b/c'],
    ['uses: (acme/tool@main) at host@acme', 'uses: (acme/tool) at host@acme'],
  ])('%s', (text, expected) => {
    expect(normalize(text)).toBe(expected);
  });

  it('and everything after 4,000 characters', () => {
    expect(normalize('a'.repeat(10_000))).toBe('a'.repeat(4_000));
  });
});
