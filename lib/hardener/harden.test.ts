import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownSettings, NO_FACTS } from '#lib/facts/facts.ts';
import { yaml } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { applyEdits } from '#lib/workflow/edits/edit.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../tests/support/cpu-time.ts';
import { hardenFile, hardenRepository } from './harden.ts';
import { type HardenedFile, type HardenOptions } from './hardening.ts';

const PATH = '.github/workflows/ci.yml';
const COMMIT = '1111111111111111111111111111111111111111';

const facts = {
  ...NO_FACTS,
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map(),
            tags: new Map([
              ['v1', COMMIT],
              ['v1.4.2', COMMIT],
            ]),
          },
        ],
      ]),
    },
  },
};

function harden(text: string, options: HardenOptions = { facts }): HardenedFile {
  return hardenFile(createRepository([{ path: PATH, text }]), PATH, options);
}

function expectOwners({ hunks, applied }: HardenedFile): void {
  for (const { category, ruleIds } of hunks) {
    const made = applied.filter(({ ruleId }) => ruleIds.includes(ruleId));
    expect(made.map((fix) => fix.category)).toContain(category);
    expect(ruleIds.filter((id) => !applied.some(({ ruleId }) => ruleId === id))).toEqual([]);
  }
}

function rebuild({ before, after, hunks }: HardenedFile): string {
  const old = before.split(/(?<=\n)/);
  const fresh = after.split(/(?<=\n)/);
  const offset = (line: number): number => old.slice(0, line).join('').length;
  const edits = hunks.map(({ oldStart, oldLines, newStart, newLines }) => {
    const first = oldLines === 0 ? oldStart : oldStart - 1;
    const text = newLines === 0 ? '' : fresh.slice(newStart - 1, newStart - 1 + newLines).join('');
    return { span: { start: offset(first), end: offset(first + oldLines) }, text };
  });
  return applyEdits(before, edits);
}

const STEPS = yaml`
  # Tests, and   nothing else.


  on:   push
  permissions:
      contents: write

  jobs:
    test:
      runs-on: "ubuntu-latest"   # the small one
      timeout-minutes: 5
      steps:
      - uses: acme/deploy/sub@v1


      - name: 'Ünïcödé 🚀'
        uses:   "acme/deploy@v1"   # keep this
      - { uses: acme/deploy@v1, name: flow } # flow
      - "uses": acme/deploy@v1
      - run: |
          # no comment: acme/deploy@v1
          echo "\${{ github.sha }}"   &&
             true
`;

describe('hardenFile', () => {
  it('changes only what it fixes', () => {
    const { after, applied, hunks } = harden(STEPS);
    expect(after).toBe(
      STEPS.replace('sub@v1', `sub@${COMMIT} # v1.4.2`)
        .replace('"acme/deploy@v1"', `"acme/deploy@${COMMIT}"`)
        .replace('{ uses: acme/deploy@v1', `{ uses: acme/deploy@${COMMIT}`)
        .replace('"uses": acme/deploy@v1', `"uses": acme/deploy@${COMMIT} # v1.4.2`),
    );
    expect(applied.map(({ ruleId, line }) => `${ruleId} ${line}`)).toEqual([
      'unpinned-uses 13',
      'unpinned-uses 17',
      'unpinned-uses 18',
      'unpinned-uses 19',
    ]);
    expect(new Set(hunks.map(({ category }) => category))).toEqual(new Set(['CICD-SEC-3']));
  });

  it.each([
    ['Windows line breaks', STEPS.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${STEPS}`],
    ['no final line break', STEPS.trimEnd()],
  ])('keeps %s', (_, text) => {
    const result = harden(text);
    expect(result.applied).toHaveLength(4);
    expect(result.after.includes('\r')).toBe(text.includes('\r'));
    expect(result.after.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    expect(result.after.endsWith('\n')).toBe(text.endsWith('\n'));
    expect(rebuild(result)).toBe(result.after);
  });

  it('separates adjacent changes of different categories, and assigns shared lines to the first', () => {
    const text = yaml`
      on: pull_request_target
      permissions: {}
      jobs:
        a:
          runs-on: ubuntu-24.04
          timeout-minutes: 5
          env: { KEY: "\${{ secrets.KEY }}" }
          steps:
          - uses: actions/checkout@v4.1.0
          - run: echo "\${{ github.event.pull_request.title }}"
          - uses: acme/deploy@v1
          - run: echo "\${{ github.event.pull_request.body }}"
    `;
    const result = harden(text, { facts, includeReview: true });
    expect(rebuild(result)).toBe(result.after);
    expectOwners(result);
    const touching = result.hunks.filter(({ oldStart, oldLines }) => oldStart >= 10 && oldStart + oldLines <= 13);
    expect(touching.map(({ category, ruleIds, oldStart }) => [oldStart, category, ...ruleIds])).toEqual([
      [10, 'CICD-SEC-4', 'template-injection'],
      [11, 'CICD-SEC-3', 'unpinned-uses'],
      [12, 'CICD-SEC-4', 'template-injection'],
    ]);
  });

  it('is idempotent', () => {
    const { after, repository } = harden(STEPS);
    const again = hardenFile(repository, PATH, { facts });
    expect(again.after).toBe(after);
    expect(again.diff).toBe('');
    expect(again.hunks).toEqual([]);
  });

  it('skips categories that were not requested', () => {
    const { after, refused } = harden(STEPS, { facts, categories: new Set(['CICD-SEC-5']) });
    expect(after).toBe(STEPS);
    expect(refused.filter(({ category }) => category !== 'CICD-SEC-5')).toEqual([]);
  });

  it('applies fixes that need review only on request, and says so otherwise', () => {
    const text = yaml`
      on: pull_request
      permissions: {}
      jobs:
        test:
          runs-on: ubuntu-latest
          timeout-minutes: 5
          if: contains('refs/heads/main refs/heads/next', github.ref)
          steps: [{ run: make }]
    `;
    const plain = harden(text, {});
    expect(plain.after).toBe(text);
    expect(plain.refused.find(({ ruleId }) => ruleId === 'unsound-contains')?.reason).toMatch(/only on request/);
    expect(harden(text, { includeReview: true }).after).toContain('fromJSON');
  });

  it.each([
    ['steps: [{ uses: actions/checkout@v5 }, { run: npm test }]', true],
    ['steps: [{ run: ./build.sh }]', false],
    ['steps: [{ uses: actions/setup-node@v1 }]', false],
    ['steps: [{ run: "echo ::set-env name=A::b" }]', false],
    ['steps: [{ run: npm test }]\n    env: { B: c }\n  b:\n    uses: ./.github/workflows/b.yml', false],
  ])('disables old workflow commands without review if nothing prints one: %s', (job, off) => {
    const text = `on: push\nenv:\n  ACTIONS_ALLOW_UNSECURE_COMMANDS: true\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    ${job}\n`;
    const { after } = harden(text, { categories: new Set(['CICD-SEC-4']) });
    expect(after).toBe(off ? text.replace('COMMANDS: true', 'COMMANDS: false') : text);
  });

  it('adds permissions of jobs without review only if each job has them today and needs are known', () => {
    const text = yaml`
      on: workflow_dispatch
      jobs:
        build:
          runs-on: ubuntu-24.04
          steps: [{ run: make }]
        tell:
          runs-on: ubuntu-24.04
          env: { GH_TOKEN: "\${{ github.token }}" }
          steps:
            - run: gh issue comment 5 --body done
    `;
    const rights = (given: string, standard: 'read' | 'write' | undefined): string[] => {
      const settings =
        standard === undefined
          ? NO_FACTS
          : knownSettings({ workflowToken: { default: standard, canApprovePullRequests: false } });
      const { after } = harden(given, { facts: settings, categories: new Set(['CICD-SEC-5']) });
      return after.split('\n').flatMap((line) => (/^\s+[a-z-]+: (?:read|write)$/.test(line) ? [line.trim()] : []));
    };
    expect(rights(text.replace('make', 'npm test'), 'write')).toEqual([
      'contents: read',
      'contents: read',
      'issues: write',
    ]);
    expect(rights(text, 'write')).toEqual([]);
    for (const standard of ['read', undefined] as const)
      expect(rights(text.replace('make', 'npm test'), standard)).toEqual([]);
    for (const other of ['gh api user', 'echo "$GH_TOKEN"', './tell.sh']) {
      const unknown = text.replace('make', 'npm test').replace('gh issue comment 5 --body done', other);
      expect(rights(unknown, 'write')).toEqual([]);
    }
  });

  it.each([
    ['a generated file', `# Code generated by tool. DO NOT EDIT.\n${STEPS}`, /generated/],
    ['a file with errors', `${STEPS}on: pull_request\n`, /errors/],
    ['an alias', STEPS.replace('- uses: acme/deploy/sub@v1', '- &step { uses: acme/deploy@v1 }\n  - *step'), /certain/],
  ])('leaves %s unchanged', (_, text, reason) => {
    const result = harden(text);
    const line = result.refused.find(({ ruleId }) => ruleId === 'unpinned-uses');
    expect(line?.reason).toMatch(reason);
    const lines = (file: string) => file.split('\n').slice(0, 16);
    expect(lines(result.after)).toEqual(lines(text));
  });

  it.each([
    [
      'an image by its digest',
      'container: acme/tool:1.2\n    steps: [{ run: make }]',
      'unpinned-images',
      /imagetools inspect acme\/tool:1\.2 .*`acme\/tool:1\.2@`/,
    ],
    [
      'the code of a pull request in a workflow of its own',
      'steps:\n      - uses: actions/checkout@v4.1.0\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n      - run: npm test\n        env: { KEY: "${{ secrets.KEY }}" }',
      'untrusted-checkout-exec',
      /^Split it.*`on: pull_request` in.*workflows: \['Test it'\].*`actions: read`, `contents: write`, and .* the job a\./,
    ],
    [
      'a package that a token publishes',
      'steps:\n      - run: npm publish\n        env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}" }',
      'use-trusted-publishing',
      /^First register `ci\.yml`.*at npm\. Then give the job a `id-token: write`, use npm 11/,
    ],
    [
      'an action that nobody was asked about',
      'steps: [{ uses: acme/x@v1 }]',
      'unpinned-uses',
      /commit of `v1` with `git ls-remote`/,
    ],
  ])('explains how to do by hand what no edit can do: %s', (_, job, rule, reason) => {
    const text = `name: Test it\non: pull_request_target\npermissions: { contents: write }\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    ${job}\n`;
    const { refused } = harden(text, {});
    expect(refused.find(({ ruleId }) => ruleId === rule)?.reason).toMatch(reason);
  });

  it('pins a checkout without fork protection to a release that has it, on request', () => {
    const text =
      'on: pull_request_target\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v4.1.0\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n';
    const tags = new Map([
      ['v4.1.0', '8ade135a41bc03ea155e62e844d188df1ea18608'],
      ['v4.4.0', '11d5960a326750d5838078e36cf38b85af677262'],
    ] as const);
    const network = { value: { actions: new Map([['actions/checkout', { branches: new Map(), tags }]]) } };
    const { after } = harden(text, { facts: { ...NO_FACTS, network }, includeReview: true });
    expect(after).toContain('actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0\n');
  });

  it('explains what stays', () => {
    const { refused, remaining } = harden(STEPS.replaceAll('acme/deploy', 'acme/other'));
    expect(refused.filter(({ ruleId }) => ruleId === 'unpinned-uses')).toHaveLength(4);
    expect(remaining.length).toBeGreaterThanOrEqual(refused.length);
    for (const { reason } of refused) expect(reason).toMatch(/^[A-Z].*\.$/s);
  });

  it('skips a file in a repository without losing the others', () => {
    const other = '.github/workflows/other.yml';
    const repository = createRepository([
      { path: PATH, text: STEPS },
      { path: other, text: 'on: push\njobs: {}\n' },
    ]);
    const results = [...hardenRepository(repository, { facts })];
    expect(results.map(({ path, before, after }) => [path, before === after])).toEqual([
      [PATH, false],
      [other, true],
    ]);
  });
});

describe('the fixes of every rule', () => {
  const cases = rules.flatMap(({ id, examples }) =>
    examples.bad.flatMap((example, index) =>
      example.fixed === undefined ? [] : [[`${id} ${index + 1}`, example] as const],
    ),
  );

  it.each(cases)(
    '%s: pass the checks, and are accounted for by hunks and diff',
    (name, { yaml: given, facts: known }) => {
      const files = typeof given === 'string' ? { [PATH]: given } : given;
      const repository = createRepository(Object.entries(files).map(([path, text]) => ({ path, text })));
      const path = Object.keys(files)[0] as string;
      const options = { includeReview: true, ...(known === undefined ? {} : { facts: known }) };
      const result = hardenFile(repository, path, options);
      expect(rebuild(result)).toBe(result.after);
      expectOwners(result);
      expect(result.diff === '').toBe(result.before === result.after);
      expect(hardenFile(result.repository, path, options).after).toBe(result.after);
    },
  );

  it('produce a diff that patch applies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'harden-'));
    try {
      const { before, after, diff } = harden(STEPS.trimEnd());
      writeFileSync(join(folder, 'ci.yml'), before);
      execFileSync('patch', ['--binary', 'ci.yml'], { cwd: folder, input: diff });
      expect(readFileSync(join(folder, 'ci.yml'), 'utf8')).toBe(after);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a pin', () => {
  const pinned = (line: string): string => {
    const text = `on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      ${line}\n`;
    return harden(text).after.split('\n')[6]?.trim() ?? '';
  };

  it.each([
    ['keeps the path below the repository', '- uses: acme/deploy/a/b@v1', `- uses: acme/deploy/a/b@${COMMIT} # v1.4.2`],
    ['keeps the spelling of names', '- uses: Acme/Deploy@v1', `- uses: Acme/Deploy@${COMMIT} # v1.4.2`],
    ['names the most specific of several tags', '- uses: acme/deploy@v1', `- uses: acme/deploy@${COMMIT} # v1.4.2`],
    [
      'replaces a version comment that was as imprecise',
      '- uses: acme/deploy@v1 # v1',
      `- uses: acme/deploy@${COMMIT} # v1.4.2`,
    ],
    ['keeps another comment', '- uses: acme/deploy@v1 # pinned by Jo', `- uses: acme/deploy@${COMMIT} # pinned by Jo`],
    ['keeps single quotes', "- uses: 'acme/deploy@v1'", `- uses: 'acme/deploy@${COMMIT}' # v1.4.2`],
    ['keeps a quoted key', '- "uses": acme/deploy@v1', `- "uses": acme/deploy@${COMMIT} # v1.4.2`],
    [
      'puts no comment inside a flow mapping',
      '- { uses: acme/deploy@v1, with: { a: b } }',
      `- { uses: acme/deploy@${COMMIT}, with: { a: b } }`,
    ],
    ['leaves scripts and comments alone', '- run: echo acme/deploy@v1 # acme/deploy@v1', ''],
    ['leaves unknown tags', '- uses: acme/deploy@v9', ''],
    ['leaves suppressed findings', '- uses: acme/deploy@v1 # zizmor: ignore[unpinned-uses] our own', ''],
    ['leaves an expression', '- uses: acme/deploy@${{ github.sha }}', ''],
  ])('%s', (_, line, wanted) => {
    expect(pinned(line)).toBe(wanted === '' ? line : wanted);
  });

  it('is refused for a release tag that was moved, with the reason', () => {
    const observations = {
      value: new Map([['acme/deploy', new Map([['v1.4.2', { commit: 'f'.repeat(40), at: '2026-01-01T00:00:00Z' }]])]]),
    };
    const text = STEPS.replaceAll('@v1', '@v1.4.2');
    const result = harden(text, { facts: { ...facts, observations }, categories: new Set(['CICD-SEC-3']) });
    expect(result.after).toBe(text);
    expect(result.refused.find(({ ruleId }) => ruleId === 'unpinned-uses')?.reason).toMatch(
      /pointed to another commit on 2026-01-01, which is a sign of a hijack/,
    );
  });
});

describe('a hostile file', () => {
  const head = 'on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n';
  const title = '${{ github.event.pull_request.title }}';

  it.each([
    ['many steps', `${head}${`    - run: echo "${title}"\n`.repeat(1_000)}`],
    ['many expressions in one script', `${head}    - run: |\n${`        echo "${title}"\n`.repeat(600)}`],
    [
      'many names',
      `${head}    - run: |\n${Array.from({ length: 500 }, (_, n) => `        echo "\${{ github.event.issue.x${n} }}"\n`).join('')}`,
    ],
    [
      'a long script for Node.js',
      `${head}    - uses: actions/github-script@v7\n      with:\n        script: |\n${`          f('${title}');\n`.repeat(500)}`,
    ],
    ['many aliases', `${head}    - &a { run: "${title}" }\n${'    - *a\n'.repeat(5_000)}`],
  ])('is bounded with %s', (_, text) => {
    const spent = leastCpuTimeOf(10_000, () => {
      const result = harden(text, { includeReview: true });
      expect(rebuild(result)).toBe(result.after);
    });
    expect(spent).toBeLessThan(10_000);
  });

  it('gets every finding fixed, even if there are more than a scan lists', () => {
    const { after, applied, remaining } = harden(`${head}${`    - run: echo "${title}"\n`.repeat(450)}`, {
      categories: new Set(['CICD-SEC-4']),
      includeReview: true,
    });
    expect(applied.filter(({ ruleId }) => ruleId === 'template-injection')).toHaveLength(450);
    expect(after.match(/TITLE: \$\{\{/g)).toHaveLength(450);
    expect(remaining.filter(({ ruleId }) => ruleId === 'template-injection')).toEqual([]);
  });

  it('gets every other fix when one fails in every job', () => {
    const job = (name: string): string =>
      `  ${name}:\n    runs-on: ubuntu-latest\n    env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }\n    steps:\n      - run: echo "${title}"\n      - uses: actions/checkout@v4\n        with: { ref: "\${{ github.event.pull_request.head.sha }}" }\n      - run: npm ci\n`;
    const jobs = Array.from({ length: 60 }, (_, index) => job(`job${index}`)).join('');
    const tags = new Map([['v4', COMMIT]]);
    const network = { value: { actions: new Map([['actions/checkout', { branches: new Map(), tags }]]) } };
    const { applied, refused } = harden(`on: pull_request_target\njobs:\n${jobs}`, { facts: { ...NO_FACTS, network } });
    expect(applied.filter(({ ruleId }) => ruleId === 'template-injection')).toHaveLength(60);
    const pins = refused.filter(({ ruleId }) => ruleId === 'unpinned-uses');
    expect(pins).toHaveLength(60);
    for (const { reason } of pins) expect(reason).toMatch(/reverted/);
  });

  it('gets a pin and inputs after it in one round, each with its category', () => {
    const tags = new Map([['v5', COMMIT]]);
    const network = { value: { actions: new Map([['actions/checkout', { branches: new Map(), tags }]]) } };
    const text =
      'on: push\npermissions: { contents: write }\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v5\n      - run: npm test\n      - uses: actions/upload-artifact@v5\n        with: { path: . }\n';
    let asked = 0;
    const result = harden(text, {
      facts: { ...NO_FACTS, network },
      includeReview: true,
      categories: new Set(['CICD-SEC-3', 'CICD-SEC-6']),
      mayGoOn: () => (asked += 1) <= 2,
    });
    expect(result.after).toBe(
      text.replace('@v5', `@${COMMIT} # v5\n        with:\n          persist-credentials: false`),
    );
    expect(result.hunks.map(({ category, newLines }) => [category, newLines])).toEqual([
      ['CICD-SEC-3', 1],
      ['CICD-SEC-6', 2],
    ]);
    expect(rebuild(result)).toBe(result.after);
  });

  it('stops when the time is up', () => {
    expect(harden(STEPS, { facts, mayGoOn: () => false }).after).toBe(STEPS);
  });
});
