import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type CompareOptions, compareSides, type Side } from './compare.ts';
import { judge, strictest } from './judge.ts';
import { withMoves } from './moved-files.ts';
import { FAIL_ON, type FailOn } from './policy.ts';

type Files = Readonly<Record<string, string>>;

const CI = '.github/workflows/ci.yml';
const SECOND = '.github/workflows/second.yml';
const injection = (field = 'title') => `      - run: echo "\${{ github.event.pull_request.${field} }}"\n`;
const workflow = (steps: string, { trigger = 'pull_request_target', permissions = '{ contents: write }' } = {}) =>
  `on: ${trigger}\npermissions: ${permissions}\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n      - run: make\n${steps}`;

function inputsOf(files: Files) {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

function compare(base: Files, head: Files, options: Partial<CompareOptions> = {}) {
  const sideOf = (inputs: ReturnType<typeof inputsOf>): Side => {
    const repository = createRepository(inputs, 'acme/shop');
    return { repository, result: scanRepository(repository) };
  };
  const after = inputsOf(head);
  const before = withMoves(inputsOf(base), after).flatMap(({ path, text }) =>
    text === undefined ? [] : { path, text },
  );
  return compareSides(sideOf(before), sideOf(after), { facts: NO_FACTS, ...options });
}

function addedRules(...given: Parameters<typeof compare>) {
  return compare(...given).added.findings.map(({ ruleId, file }) => `${file?.split('/').at(-1)} ${ruleId}`);
}

describe('added attack paths', () => {
  const base = { [CI]: workflow('') };
  const withPath = { [CI]: workflow(injection()) };

  it('include those of which the base has a part', () => {
    const { added, head } = compare(base, withPath);
    expect(added.paths.length).toBeGreaterThan(0);
    expect(added.paths).toEqual(head.paths);
  });

  it('exclude those of the base, whose steps may have moved', () => {
    const { added, head } = compare(withPath, {
      [CI]: withPath[CI].replace('- run: make', '- run: ls\n      - run: make'),
    });
    expect(head.paths.length).toBeGreaterThan(0);
    expect(added.paths).toEqual([]);
  });

  it('exclude those that stand without the added finding', () => {
    const { added } = compare(withPath, { [CI]: workflow(injection() + injection('body')) });
    expect(added.findings.map(({ ruleId }) => ruleId)).toContain('template-injection');
    expect(added.paths).toEqual([]);
  });

  it('exclude those of which a part was removed', () => {
    const { added, head } = compare({ [CI]: workflow(injection() + injection('body')) }, withPath);
    expect(head.paths.length).toBeGreaterThan(0);
    expect(added).toEqual({ findings: [], omitted: [], paths: [] });
  });

  it('include those whose findings were all replaced', () => {
    expect(compare(withPath, { [CI]: workflow(injection('body')) }).added.paths.length).toBeGreaterThan(0);
  });

  it('include those that more permissions complete', () => {
    const before = { [CI]: workflow(injection(), { trigger: 'pull_request', permissions: '{}' }) };
    expect(compare(before, withPath).added.paths.length).toBeGreaterThan(0);
  });

  it('include those that a new secret completes', () => {
    const secret = `      - run: make\n        env: { TOKEN: '\${{ secrets.TOKEN }}' }\n`;
    const without = createRepository(inputsOf({ [CI]: workflow(injection(), { permissions: '{}' }) }));
    const repository = createRepository(inputsOf({ [CI]: workflow(injection() + secret, { permissions: '{}' }) }));
    const result = scanRepository(repository);
    const { added } = compareSides({ repository: without, result }, { repository, result }, { facts: NO_FACTS });
    expect(added.findings).toEqual([]);
    expect(added.paths).toEqual([expect.objectContaining({ comboId: 'event-text-to-shell-with-credentials' })]);
  });

  it('exclude disabled rules and dismissed findings, and mark accepted ones', () => {
    const { added } = compare(base, withPath);
    const parts = added.paths.flatMap(({ components }) => components);
    const disabledRules = new Set(parts.map(({ ruleId }) => ruleId));
    const all = new Set(parts.map(({ fingerprint }) => fingerprint));
    expect(compare(base, withPath, { decisions: { disabledRules } }).added).toMatchObject({ paths: [] });
    expect(compare(base, withPath, { decisions: { dismissed: all } }).added).toMatchObject({ paths: [] });
    const accepted = compare(base, withPath, { decisions: { accepted: all } }).added;
    expect(accepted.findings.filter(({ fingerprint }) => all.has(fingerprint))).toEqual([]);
    expect(accepted.paths[0]).toMatchObject({ containsAcceptedRisk: true });
  });
});

describe('suppressing comments', () => {
  const silent = `      # chainbreak: ignore[template-injection] fine\n${injection()}`;
  const base = { [CI]: workflow('') };

  it('of the head alone are ignored on request', () => {
    const head = { [CI]: workflow(silent) };
    expect(addedRules(base, head)).not.toContain('ci.yml template-injection');
    const { added } = compare(base, head, { ignoresAddedComments: true });
    expect(added.findings.map(({ ruleId }) => ruleId)).toContain('template-injection');
    expect(added.paths.length).toBeGreaterThan(0);
  });

  it('of the base still apply after they moved', () => {
    const head = { [CI]: workflow(`      - run: ls\n${silent}`) };
    expect(addedRules({ [CI]: workflow(silent) }, head, { ignoresAddedComments: true })).toEqual([]);
  });

  it('differ from entries of the configuration, which still apply', () => {
    const config = { '.github/chainbreak.yml': 'ignore: [{ rule: template-injection, reason: fine }]\n' };
    const [before, after] = [
      { ...base, ...config },
      { [CI]: workflow(injection()), ...config },
    ];
    expect(addedRules(before, after, { ignoresAddedComments: true })).not.toContain('ci.yml template-injection');
  });

  it('that the head removes add their finding', () => {
    expect(addedRules({ [CI]: workflow(silent) }, { [CI]: workflow(injection()) })).toContain(
      'ci.yml template-injection',
    );
  });
});

describe('added findings', () => {
  it('include those of a copied file and exclude those of a moved one', () => {
    const base = { [CI]: workflow(injection()) };
    expect(addedRules(base, { [SECOND]: workflow(injection()) })).toEqual([]);
    expect(addedRules(base, { [SECOND]: workflow(injection()), [CI]: workflow(injection()) })).toContain(
      'second.yml template-injection',
    );
  });

  it('include those of a file that replaces a different one', () => {
    const others = Array.from({ length: 20 }, (_, index) => `      - run: echo ${index}\n`).join('');
    expect(addedRules({ [CI]: workflow(others + injection()) }, { [SECOND]: workflow(injection()) })).toContain(
      'second.yml template-injection',
    );
  });

  it('are counted beyond the limit of a listing', () => {
    const many = (count: number) => ({ [CI]: workflow('      - uses: acme/a@main\n'.repeat(count)) });
    expect(compare(many(210), many(212)).added.omitted).toEqual([expect.objectContaining({ count: 2 })]);
    expect(compare(many(212), many(212)).added.omitted).toEqual([]);
  });
});

describe('the policy', () => {
  const clean = compare({ [CI]: workflow('') }, { [CI]: workflow('') });
  const old = compare({ [CI]: workflow(injection()) }, { [CI]: workflow(injection()) });
  const fresh = compare({ [CI]: workflow('') }, { [CI]: workflow(injection()) });
  const parts = fresh.added;
  const only = (changes: Partial<typeof parts>) => ({
    added: { findings: [], omitted: [], paths: [], ...changes },
    head: fresh.head,
  });
  const verdicts = (comparison: Pick<typeof fresh, 'added' | 'head'>) =>
    FAIL_ON.map((failOn) => judge(comparison, { failOn, newOnly: true }).verdict);

  it('counts findings of the base unless new_only is set', () => {
    expect(judge(old, { failOn: 'info', newOnly: true }).verdict).toBe('clean');
    expect(judge(old, { failOn: 'high', newOnly: false })).toMatchObject({ verdict: 'broken', counted: old.head });
    expect(judge(old, { failOn: 'never', newOnly: false }).verdict).toBe('found');
    expect(judge(clean, { failOn: 'info', newOnly: true }).verdict).toBe('clean');
  });

  it.each([
    ['HIGH', ['found', 'broken', 'broken', 'broken', 'broken', 'found']],
    ['MEDIUM', ['found', 'found', 'broken', 'broken', 'broken', 'found']],
    ['LOW', ['found', 'found', 'found', 'broken', 'broken', 'found']],
    ['INFO', ['found', 'found', 'found', 'found', 'broken', 'found']],
  ] as const)('fails for a %s finding from that threshold on, listed or not', (severity, expected) => {
    const findings = parts.findings.slice(0, 1).map((finding) => ({ ...finding, severity }));
    expect(verdicts(only({ findings }))).toEqual(expected);
    const omitted = [{ ruleId: 'a', file: CI, severity, count: 1, suppressed: false }];
    expect(verdicts(only({ omitted }))).toEqual(expected);
  });

  it.each([
    ['CRITICAL', ['broken', 'broken', 'broken', 'broken', 'broken', 'found']],
    ['HIGH', ['found', 'broken', 'broken', 'broken', 'broken', 'found']],
    ['MEDIUM', ['found', 'found', 'broken', 'broken', 'broken', 'found']],
  ] as const)('fails for a %s attack path from that threshold on', (severity, expected) => {
    const paths = parts.paths.slice(0, 1).map((path) => ({ ...path, severity }));
    expect(verdicts(only({ paths }))).toEqual(expected);
  });

  it('of several organizations is the strictest outcome', () => {
    const all = (...failOn: readonly FailOn[]) =>
      strictest(failOn.map((each) => judge(fresh, { failOn: each, newOnly: true }).verdict));
    expect(all('never', 'high')).toBe('broken');
    expect(all('never')).toBe('found');
    expect(strictest(['clean', 'found'])).toBe('found');
    expect(strictest([])).toBe('clean');
  });
});
