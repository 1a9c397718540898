import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../tests/support/cpu-time.ts';
import type { Combo, Source } from './combo.ts';
import { combos } from './combos/index.ts';
import { coverageOf } from './coverage.ts';
import { collectEvidence, type FindingEvidence, type ScanEvidence, withDecisions } from './evidence.ts';
import type { Fact } from './facts.ts';
import { type AttackPath, comboSeverityRank, findPaths, foldPaths } from './match.ts';
import { searchOf } from './search.ts';

const FILES = ['.github/workflows/a.yml', '.github/workflows/b.yml', '.github/actions/c/action.yml'];
const SOURCES: readonly Source[] = combos.flatMap(({ slots }) => Object.values(slots).flatMap(({ any }) => any));

function fitting(source: Source): fc.Arbitrary<Record<string, string | boolean | readonly string[]>> {
  const own = Object.fromEntries(
    Object.entries(source.where ?? {}).flatMap(([name, wanted]) =>
      name === 'message' || name === 'severity' ? [] : [[name, Array.isArray(wanted) ? (wanted[0] as string) : wanted]],
    ),
  ) as Record<string, string | boolean>;
  return fc.record({
    strength: fc.constantFrom('strong', 'weak', 'assumed'),
    key_template: fc.constantFrom('npm', 'npm-${{ a }}', 'other'),
    name_template: fc.constantFrom('site', '*', 'site-${{ matrix.a }}'),
    producers: fc.subarray(FILES),
    callee: fc.constantFrom(...FILES),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, fc.constant(value)])),
  }) as fc.Arbitrary<Record<string, string | boolean | readonly string[]>>;
}

const place = {
  file: fc.constantFrom(...FILES),
  job: fc.option(fc.constantFrom('x', 'y')),
  step: fc.option(fc.nat(4)),
};

const source = fc.constantFrom(...SOURCES);

const finding = (index: number): fc.Arbitrary<FindingEvidence> =>
  source
    .filter((one) => 'rule' in one)
    .chain((one) => {
      const message = one.where?.['message'];
      return fc.record({
        fingerprint: fc.constant(`f${index}`),
        ruleId: fc.constant('rule' in one ? one.rule : ''),
        message: fc.constant(Array.isArray(message) ? String(message[0]) : typeof message === 'string' ? message : ''),
        severity: fc.constantFrom('HIGH' as const, 'HIGH' as const, 'MEDIUM' as const, 'LOW' as const, 'INFO' as const),
        confidence: fc.constant('high' as const),
        file: fc.option(place.file, { freq: 10 }),
        job: place.job,
        step: place.step,
        attributes: fitting(one),
      });
    });

const fact: fc.Arbitrary<Fact> = source
  .filter((one) => 'fact' in one)
  .chain((one) =>
    fc.record({
      name: fc.constant('fact' in one ? one.fact : ('job-token' as const)),
      file: place.file,
      job: place.job,
      step: place.step,
      attributes: fitting(one),
    }),
  );

const evidence: fc.Arbitrary<ScanEvidence> = fc
  .tuple(
    fc.nat(40).chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => finding(index)))),
    fc.array(fact, { maxLength: 40 }),
  )
  .map(([findings, facts]) => ({ version: 1 as const, findings, facts }));

const nameOf = ({ comboId, breakChainRule, anchor }: AttackPath): string => `${comboId} ${breakChainRule} ${anchor}`;

const namesOf = (paths: readonly AttackPath[]): Set<string> => new Set(paths.map(nameOf));

const RUNS = { numRuns: 150 };

describe('for any evidence', () => {
  it('the generator produces paths', () => {
    const found = fc.sample(evidence, { numRuns: 100, seed: 1 }).flatMap((one) => findPaths(one));
    expect(new Set(found.map(({ comboId }) => comboId)).size).toBeGreaterThan(combos.length / 2);
  });

  it('additional evidence never removes a path', () => {
    fc.assert(
      fc.property(evidence, fc.nat(), fc.nat(), (all, dropFinding, dropFact) => {
        const less = {
          ...all,
          findings: all.findings.filter((_, index) => index !== dropFinding % Math.max(all.findings.length, 1)),
          facts: all.facts.filter((_, index) => index !== dropFact % Math.max(all.facts.length, 1)),
        };
        const more = namesOf(findPaths(all));
        for (const path of findPaths(less)) expect(more).toContain(nameOf(path));
      }),
      RUNS,
    );
  });

  it('every cut ends its path: without its findings the path is not found again', () => {
    fc.assert(
      fc.property(evidence, (all) => {
        for (const path of findPaths(all).slice(0, 10)) {
          expect(path.cuts.length).toBeGreaterThan(0);
          for (const cut of path.cuts) {
            const gone = new Set(cut);
            const rest = { ...all, findings: all.findings.filter(({ fingerprint }) => !gone.has(fingerprint)) };
            expect(namesOf(findPaths(rest))).not.toContain(nameOf(path));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a line feed in the name of a file hides no path and moves none to another file', () => {
    const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('/b.yml', '/b\\nx.yml')) as T;
    const withoutAnchor = (path: AttackPath) => ({ ...path, anchor: '' });
    fc.assert(
      fc.property(evidence, (all) => {
        const paths = findPaths(renamed(all)).map(withoutAnchor);
        expect(paths).toEqual(findPaths(all).map((path) => renamed(withoutAnchor(path))));
      }),
      RUNS,
    );
  });

  it('the order of evidence and combinations does not matter', () => {
    fc.assert(
      fc.property(evidence, fc.infiniteStream(fc.nat()), (all, random) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const other = { ...all, findings: shuffled(all.findings), facts: shuffled(all.facts) };
        expect(findPaths(other, {}, shuffled(combos))).toEqual(findPaths(all));
        expect(foldPaths(findPaths(other))).toEqual(foldPaths(findPaths(all)));
      }),
      RUNS,
    );
  });

  it('a folded path is part of a remaining one that is at least as severe', () => {
    fc.assert(
      fc.property(evidence, (all) => {
        const paths = findPaths(all);
        const kept = foldPaths(paths);
        for (const path of paths.filter((one) => !kept.includes(one))) {
          const own = path.components.map(({ fingerprint }) => fingerprint);
          const container = kept.find(
            ({ components, severity }) =>
              comboSeverityRank(severity) <= comboSeverityRank(path.severity) &&
              own.every((fingerprint) => components.some((other) => other.fingerprint === fingerprint)),
          );
          expect(container).toBeDefined();
        }
      }),
      RUNS,
    );
  });

  it('each path is found once', () => {
    fc.assert(
      fc.property(evidence, (all) => {
        const paths = findPaths(all);
        expect(namesOf(paths).size).toBe(paths.length);
      }),
      RUNS,
    );
  });

  it('paths refer to existing findings, with stages in order', () => {
    fc.assert(
      fc.property(evidence, (all) => {
        const known = new Map(all.findings.map(({ fingerprint, ruleId }) => [fingerprint, ruleId]));
        for (const path of findPaths(all)) {
          for (const { ruleId, fingerprint } of path.components) expect(known.get(fingerprint)).toBe(ruleId);
          expect(path.stages.map(({ order }) => order)).toEqual(path.stages.map((_, index) => index));
          expect(path.components.map(({ ruleId }) => ruleId)).toContain(path.breakChainRule);
          expect(path.file === null).toBe(path.scope === 'repo');
        }
      }),
      RUNS,
    );
  });

  it('paths survive JSON serialization', () => {
    fc.assert(
      fc.property(evidence, (all) => {
        expect(findPaths(JSON.parse(JSON.stringify(all)) as ScanEvidence)).toEqual(findPaths(all));
      }),
      { numRuns: 40 },
    );
  });
});

describe('switching off a rule', () => {
  const ids = rules.map(({ id }) => id);
  const off = fc.subarray(ids, { maxLength: 12 });

  it('removes its paths and never adds one', () => {
    fc.assert(
      fc.property(evidence, off, (all, disabled) => {
        const left = findPaths(withDecisions(all, { disabledRules: new Set(disabled) }));
        const before = namesOf(findPaths(all));
        for (const path of left) expect(before).toContain(nameOf(path));
        for (const { components } of left) for (const { ruleId } of components) expect(disabled).not.toContain(ruleId);
      }),
      RUNS,
    );
  });

  it('only turns searched into partial or blinded, by configuration alone', () => {
    const rank = { searched: 0, partial: 1, blinded: 2 };
    fc.assert(
      fc.property(off, off, fc.constantFrom(...combos), (first, more, combo: Combo) => {
        const missing = (list: readonly string[]): ReadonlyMap<string, 'disabled'> =>
          new Map(list.map((id) => [id, 'disabled']));
        const before = searchOf(combo, missing(first));
        const after = searchOf(combo, missing([...first, ...more]));
        expect(rank[after.status]).toBeGreaterThanOrEqual(rank[before.status]);
        expect(after.status === 'searched').toBe(after.by.length === 0);
      }),
      RUNS,
    );
  });

  it('keeps the sum of searched and blinded repositories equal to those scanned, in any order', () => {
    const repository = fc.record({
      notAssessed: off.map((list) => list.map((ruleId) => ({ ruleId, reason: 'disabled' as const }))),
      matched: fc.subarray(combos.map(({ id }) => id)).map((list) => new Set(list)),
    });
    fc.assert(
      fc.property(fc.array(repository, { maxLength: 6 }), (repositories) => {
        const entries = coverageOf(repositories);
        expect(entries.map(({ id }) => id)).toEqual(combos.map(({ id }) => id));
        for (const entry of entries) {
          expect(entry.searchedRepos + entry.blindedRepos).toBe(repositories.length);
          expect(entry.partialRepos).toBeLessThanOrEqual(entry.searchedRepos);
          expect(entry.matchedRepos).toBeLessThanOrEqual(entry.searchedRepos);
          const gaps = entry.blindedRepos + entry.partialRepos;
          expect(entry.blindedBy.length > 0).toBe(gaps > 0);
        }
        expect(coverageOf([...repositories].reverse())).toEqual(entries);
      }),
      RUNS,
    );
  });

  it('blinds everything if all rules are off, since facts alone make no path', () => {
    const entries = coverageOf([
      { notAssessed: ids.map((ruleId) => ({ ruleId, reason: 'disabled' })), matched: new Set() },
    ]);
    expect(entries.filter(({ blindedRepos }) => blindedRepos !== 1)).toEqual([]);
    fc.assert(
      fc.property(evidence, (all) => {
        expect(findPaths(withDecisions(all, { disabledRules: new Set(ids) }))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

const RISKY = `on: pull_request_target
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4.2.2
        with: { ref: "\${{ github.event.pull_request.head.sha }}" }
      - run: npm ci
`;

describe('triage', () => {
  const repository = createRepository([{ path: '.github/workflows/a.yml', text: RISKY }]);
  const all = collectEvidence(repository, scanRepository(repository).findings, NO_FACTS);
  const [cut = ''] = findPaths(all).find(({ comboId }) => comboId === 'fork-code-with-credentials')?.cuts[0] ?? [];

  it('removes a dismissed finding from the evidence', () => {
    const left = withDecisions(all, { dismissed: new Set([cut]) });
    expect(findPaths(left).map(({ comboId }) => comboId)).not.toContain('fork-code-with-credentials');
  });

  it('keeps an accepted finding, and says so', () => {
    const [path] = findPaths(withDecisions(all, { accepted: new Set([cut]) }));
    expect(path?.containsAcceptedRisk).toBe(true);
    expect(findPaths(all)[0]?.containsAcceptedRisk).toBe(false);
  });

  it('lowers the severity in a private repository', () => {
    expect(findPaths(all)[0]?.severity).toBe('CRITICAL');
    expect(findPaths(all, { isPrivate: true })[0]?.severity).toBe('HIGH');
  });
});

describe('2,000 findings in one repository', () => {
  function crowd(jobs: number): ScanEvidence {
    const ruled = SOURCES.filter((one) => 'rule' in one);
    const findings = Array.from({ length: 2_000 }, (_, index): FindingEvidence => {
      const one = ruled[index % ruled.length] as Extract<Source, { rule: string }>;
      const [attributes] = fc.sample(fitting(one), { numRuns: 1, seed: index });
      const message = one.where?.['message'];
      return {
        fingerprint: `f${index}`,
        ruleId: one.rule,
        message: Array.isArray(message) ? String(message[0]) : typeof message === 'string' ? message : '',
        severity: 'HIGH',
        confidence: 'high',
        file: `.github/workflows/w${index % Math.ceil(jobs / 4)}.yml`,
        job: `j${index % jobs}`,
        step: index % 5,
        attributes: attributes ?? {},
      };
    });
    const facts = Array.from({ length: 1_000 }, (_, index): Fact => {
      const named = SOURCES.filter((one) => 'fact' in one);
      const one = named[index % named.length] as Extract<Source, { fact: string }>;
      const [attributes] = fc.sample(fitting(one), { numRuns: 1, seed: index });
      const name = one.fact;
      const file = `.github/workflows/w${index % Math.ceil(jobs / 4)}.yml`;
      return { name, file, job: `j${index % jobs}`, step: null, attributes: attributes ?? {} };
    });
    return { version: 1, findings, facts };
  }

  it.each([4, 60, 500])('over %i jobs are matched in under 200 ms', (jobs) => {
    const all = crowd(jobs);
    expect(foldPaths(findPaths(all)).length).toBeLessThan(5_000);
    expect(leastCpuTimeOf(200, () => foldPaths(findPaths(all)))).toBeLessThan(200);
  });
});

describe('a stored token', () => {
  const pathsOf = (...steps: string[]): string[] => {
    const head = 'on: push\npermissions: {}\njobs: { a: { runs-on: ubuntu-latest, steps: [';
    const text = `${head}${steps.join(', ')}] } }\n`;
    const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
    const evidence = collectEvidence(repository, scanRepository(repository).findings, NO_FACTS);
    return foldPaths(findPaths(evidence)).map(({ comboId, severity }) => `${comboId} ${severity}`);
  };
  const given = (secret: string, uses = 'acme/release@v1'): string =>
    `{ uses: ${uses}, env: { GITHUB_TOKEN: "\${{ secrets.${secret} }}" } }`;
  const publish = (env: string): string => `{ run: gh release create v1 a.zip && npm publish, env: { ${env} } }`;
  const npm = 'NODE_AUTH_TOKEN: "${{ secrets.NPM_TOKEN }}"';
  const bot = 'GH_TOKEN: "${{ secrets.BOT_PAT }}"';

  it('is lost once, although it publishes and belongs to a person', () => {
    expect(pathsOf(given('BOT_PAT'), publish(bot))).toEqual(['mutable-action-beside-publish-token HIGH']);
    expect(pathsOf(given('BOT_PAT', 'acme/release@main'), publish(bot))).toEqual([
      'mutable-action-beside-publish-token HIGH',
    ]);
  });

  it('is lost apart from the one that publishes', () => {
    expect(pathsOf(given('BOT_PAT'), publish(npm))).toEqual([
      'mutable-action-beside-publish-token HIGH',
      'personal-token-to-movable-action MEDIUM',
    ]);
  });

  it('is lost by itself where nothing publishes', () => {
    expect(pathsOf(given('BOT_PAT', 'acme/sync@main'))).toEqual(['personal-token-to-movable-action HIGH']);
  });
});

describe('a job that cannot start', () => {
  const pathsOf = (text: string): string[] => {
    const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
    const evidence = collectEvidence(repository, scanRepository(repository).findings, NO_FACTS);
    return foldPaths(findPaths(evidence)).flatMap(({ comboId, job, severity, mitigatedBy }) =>
      comboId === 'mutable-action-beside-publish-token' || comboId === 'password-in-public-file'
        ? [`${comboId} ${job} ${severity} ${mitigatedBy.join(' ')}`.trim()]
        : [],
    );
  };
  const release = (runsOn: string, rest = ''): string =>
    `{ runs-on: ${runsOn}, ${rest}steps: [{ uses: acme/setup@v1 }, { run: npm publish, env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" } }] }\n`;
  const on = 'on: push\npermissions: {}\njobs:\n';
  const GONE = 'A job of this path cannot start until its file changes: GitHub removed ubuntu-20.04 on 2025-04-15.';

  it('makes its path MEDIUM, with the reason', () => {
    expect(pathsOf(`${on}  a: ${release('ubuntu-latest')}`)).toEqual(['mutable-action-beside-publish-token a HIGH']);
    expect(pathsOf(`${on}  a: ${release('ubuntu-20.04')}`)).toEqual([
      `mutable-action-beside-publish-token a MEDIUM ${GONE}`,
    ]);
  });

  it('leaves the paths of other jobs', () => {
    expect(pathsOf(`${on}  a: ${release('ubuntu-20.04')}  b: ${release('ubuntu-latest')}`)).toEqual([
      'mutable-action-beside-publish-token b HIGH',
      `mutable-action-beside-publish-token a MEDIUM ${GONE}`,
    ]);
  });

  it('does not hide a password that anyone can read', () => {
    const image = 'container: { image: acme/a, credentials: { username: bot, password: tr0ub4dor-and-3 } }, ';
    const found = [release('ubuntu-latest', image), release('ubuntu-20.04', image)].map((job) =>
      pathsOf(`${on}  a: ${job}`).find((path) => path.startsWith('password')),
    );
    expect(found[0]).toMatch(/^password-in-public-file \S+ (?:HIGH|CRITICAL)/);
    expect(found[1]).toBe(found[0]);
  });
});

it('a path between two jobs is lower if either of them cannot start, unless another job replaces it', () => {
  const at = (
    job: string,
    name: 'local-call' | 'secret-use' | 'barred-start',
    attributes: Fact['attributes'],
  ): Fact => ({
    name,
    file: '.github/workflows/a.yml',
    job,
    step: null,
    attributes,
  });
  const found = (rule: string, job: string): FindingEvidence => ({
    fingerprint: `${rule} ${job}`,
    ruleId: rule,
    message: '',
    severity: 'HIGH',
    confidence: 'high',
    file: '.github/workflows/a.yml',
    job,
    step: null,
    attributes: {},
  });
  const combo: Combo = {
    ...(combos[0] as Combo),
    severity: 'CRITICAL',
    slots: {
      entry: { any: [{ rule: 'template-injection' }] },
      credential: { any: [{ fact: 'secret-use' }] },
      loose: { optional: true, any: [{ rule: 'artipacked' }] },
    },
    join: { from: ['entry', 'loose'], by: 'repository' },
    order: [],
    modifiers: [],
    stages: [],
    breakChain: { text: '', slot: 'entry' },
  };
  const severity = (barred: readonly string[], entries: readonly string[]): string[] =>
    findPaths(
      {
        version: 1,
        findings: [...entries.map((job) => found('template-injection', job)), found('artipacked', 'y')],
        facts: [at('z', 'secret-use', {}), ...barred.map((job) => at(job, 'barred-start', { because: 'It is gone' }))],
      },
      {},
      [combo],
    ).map((path) => path.severity);
  expect(severity([], ['x'])).toEqual(['CRITICAL']);
  expect(severity(['z'], ['x'])).toEqual(['MEDIUM']);
  expect(severity(['x'], ['x'])).toEqual(['MEDIUM']);
  expect(severity(['x'], ['x', 'y'])).toEqual(['CRITICAL']);
  expect(severity(['y'], ['x', 'y'])).toEqual(['CRITICAL']);
  expect(severity(['x', 'y'], ['x', 'y'])).toEqual(['MEDIUM']);
  const inBoth = { ...found('template-injection', ''), job: null, attributes: { jobs: ['x', 'y'] } };
  const alone: Combo = { ...combo, slots: { entry: { any: [{ rule: 'template-injection' }] } }, join: { same: 'job' } };
  const barred = at('x', 'barred-start', { because: 'It is gone' });
  const paths = findPaths({ version: 1, findings: [inBoth], facts: [barred] }, {}, [alone]);
  expect(paths.map((path) => `${path.anchor.split('\n')[1]} ${path.severity}`)).toEqual(['y CRITICAL', 'x MEDIUM']);
});
