import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { yaml } from '#lib/scanner/engine/rule.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { hardenFile } from './harden.ts';
import { type HardenedFile } from './hardening.ts';

const PATH = '.github/workflows/ci.yml';
const OLD = '1'.repeat(40);
const NEW = '2'.repeat(40);
const UNTAGGED = '3'.repeat(40);
const HEAD = '4'.repeat(40);

const facts = {
  ...NO_FACTS,
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map([
              ['main', HEAD],
              ['latest', HEAD],
            ]),
            tags: new Map([
              ['v1.2.0', OLD],
              ['v1', NEW],
              ['v1.4', NEW],
              ['v1.4.2', NEW],
            ]),
            commits: new Map([
              [OLD, 'own' as const],
              [NEW, 'own' as const],
              [UNTAGGED, 'own' as const],
            ]),
          },
        ],
      ]),
    },
  },
};

function workflow(...steps: readonly string[]): string {
  return [
    'name: CI',
    'on: push',
    'permissions: {}',
    'concurrency: { group: "${{ github.ref }}", cancel-in-progress: true }',
    'jobs:',
    '  a:',
    '    name: A',
    '    runs-on: ubuntu-24.04',
    '    timeout-minutes: 5',
    '    steps:',
    ...steps.map((step) => step.replace(/^/gm, '      ')),
    '',
  ].join('\n');
}

function harden(text: string, review = false): HardenedFile {
  const repository = createRepository([{ path: PATH, text }]);
  const result = hardenFile(repository, PATH, { facts, includeReview: review });
  const again = hardenFile(result.repository, PATH, { facts, includeReview: review });
  expect(again.after).toBe(result.after);
  return result;
}

function hardened(step: string, review = false): string {
  const [before, after] = workflow('\0').split('      \0') as [string, string];
  const text = harden(workflow(step), review).after;
  expect(text.startsWith(before) && text.endsWith(after)).toBe(true);
  return text.slice(before.length, text.length - after.length).replace(/^ {6}/gm, '');
}

const ODD = yaml`
  "name":   'CI'   # two spaces, and a comment

  'on':
      push:
          branches: [ main,   "release/**" ]


  permissions: {}
  concurrency: {   group: "\${{github.ref}}", cancel-in-progress: true   }
  jobs:
      a:
          runs-on:     ubuntu-24.04
          timeout-minutes:    5

          steps:
          - uses: acme/deploy@v1

          -   name: >-
                  folded
                  text
              run: |
                  echo one


                  echo two &&
                      three
          -   run:  "echo \${{   github.sha   }}"
              if:   >
                  github.ref == 'refs/heads/main' &&
                  github.actor != 'x'
              env:   { A:   "1" ,  B: 'two' }
          - { "uses": "acme/deploy@v1" }
`;

describe('a pin changes only its own line:', () => {
  const result = harden(ODD);
  const changed = result.diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line));

  it.each([
    ['keeps blank lines', /^\n/m],
    ['keeps quotes', /^"name": {3}'CI' {3}# two spaces/m],
    ['keeps indentation by four', /^ {4}a:\n {8}runs-on: {5}ubuntu/m],
    ['keeps sequences flush', /^ {8}steps:\n {8}- uses/m],
    ['keeps literal blocks', /run: \|\n {16}echo one\n\n\n {16}echo two &&\n {20}three\n/],
    ['keeps folded blocks', />-\n {16}folded\n {16}text\n/],
    ['does not rewrap expressions', /"echo \$\{\{ {3}github\.sha {3}\}\}"/],
    ['keeps spaces in flow style', /\{ A: {3}"1" , {2}B: 'two' \}/],
  ])('%s', (_, pattern) => {
    expect(ODD).toMatch(pattern);
    expect(result.after).toMatch(pattern);
  });

  it('changes two lines for two pins', () => {
    expect(changed).toEqual([
      '-        - uses: acme/deploy@v1',
      `+        - uses: acme/deploy@${NEW} # v1.4.2`,
      '-        - { "uses": "acme/deploy@v1" }',
      `+        - { "uses": "acme/deploy@${NEW}" }`,
    ]);
  });
});

describe('a reference is recognized wherever YAML allows it:', () => {
  it.each([
    ['in double quotes', '- uses: "acme/deploy@v1"', `- uses: "acme/deploy@${NEW}" # v1.4.2`],
    ['in single quotes', "- uses: 'acme/deploy@v1'", `- uses: 'acme/deploy@${NEW}' # v1.4.2`],
    ['below a quoted key', '- "uses": acme/deploy@v1', `- "uses": acme/deploy@${NEW} # v1.4.2`],
    ['below a key in single quotes', "- 'uses' : acme/deploy@v1", `- 'uses' : acme/deploy@${NEW} # v1.4.2`],
    ['in a flow mapping', '- {uses: acme/deploy@v1, name: x}', `- {uses: acme/deploy@${NEW}, name: x}`],
    ['after several spaces', '-    uses:    acme/deploy@v1', `-    uses:    acme/deploy@${NEW} # v1.4.2`],
    ['with a path below the repository', '- uses: acme/deploy/a/b@v1', `- uses: acme/deploy/a/b@${NEW} # v1.4.2`],
  ])('%s', (_, step, wanted) => {
    expect(hardened(step)).toBe(wanted);
  });

  it.each([
    ['in a script', '- run: echo acme/deploy@v1'],
    ['in a comment', '- run: make # uses: acme/deploy@v1'],
    ['in an input', '- run: make\n  env:\n    uses: acme/deploy@v1'],
    ['in a block of text', '- run: |\n    - uses: acme/deploy@v1'],
  ])('but not elsewhere: %s', (_, step) => {
    expect(hardened(step)).toBe(step);
  });
});

describe('the version in a comment:', () => {
  it.each([
    ['has the format that update tools maintain', '@v1', `@${NEW} # v1.4.2`],
    ['is the most specific of the tags of a commit', '@v1.4', `@${NEW} # v1.4.2`],
    ['is corrected if it was outdated before the pin', '@v1 # v1.2.0', `@${NEW} # v1.4.2`],
    ['becomes specific if it was as imprecise as the tag', '@v1 # v1', `@${NEW} # v1.4.2`],
    ['is kept if it is right', `@${NEW} # v1.4.2`, `@${NEW} # v1.4.2`],
    ['is added to a commit without one', `@${NEW}`, `@${NEW} # v1.4.2`],
    ['is completed if it only gives a prefix', `@${NEW} # v1`, `@${NEW} # v1`],
    ['is omitted if no tag names the commit', `@${UNTAGGED}`, `@${UNTAGGED}`],
    ['is corrected between other words', '@v1 # v1.2.0, by Jo', `@${NEW} # v1.4.2, by Jo`],
    ['keeps other words of a comment', '@v1 # keep: see #12', `@${NEW} # keep: see #12`],
  ])('%s', (_, reference, wanted) => {
    expect(hardened(`- uses: acme/deploy${reference}`)).toBe(`- uses: acme/deploy${wanted}`);
  });

  it('corrects the comment instead of the commit, and only on request', () => {
    const step = `- uses: acme/deploy@${OLD} # v1.4.2`;
    expect(hardened(step)).toBe(step);
    expect(hardened(step, true)).toBe(`- uses: acme/deploy@${OLD} # v1.2.0`);
  });

  it('is not repeated when the file is hardened again', () => {
    let text = workflow('- uses: acme/deploy@v1 # v1');
    for (let count = 0; count < 4; count += 1) text = harden(text, true).after;
    expect(text).toContain(`acme/deploy@${NEW} # v1.4.2\n`);
  });

  it('is not written inside a flow mapping that other steps share a line with', () => {
    const text = workflow().replace('steps:\n', 'steps: [{ uses: acme/deploy@v1 }, { run: make }] # both\n');
    expect(harden(text).after).toContain(`steps: [{ uses: acme/deploy@${NEW} }, { run: make }] # both\n`);
  });
});

describe('a branch:', () => {
  it.each(['main', 'latest'])('%s is pinned only on request, because it is meant to move', (branch) => {
    const step = `- uses: acme/deploy@${branch}`;
    expect(hardened(step)).toBe(step);
    expect(hardened(step, true)).toBe(`- uses: acme/deploy@${HEAD} # ${branch}`);
  });

  it('is left with a reason', () => {
    const { refused } = harden(workflow('- uses: acme/deploy@main'));
    expect(refused.find(({ ruleId }) => ruleId === 'unpinned-uses')?.reason).toMatch(/only on request/);
  });
});

describe('a fix of something else:', () => {
  const TITLE = '${{ github.event.head_commit.message }}';

  it('keeps every comment', () => {
    const text = workflow(
      `# above\n- name: x # name\n  # between\n  env: # env\n    A: 1 # one\n    # last\n  run: echo "${TITLE}" # run`,
    );
    const { after } = harden(text, true);
    expect(after).not.toBe(text);
    for (const comment of ['above', 'name', 'between', 'env', 'one', 'last', 'run']) {
      expect(after).toContain(`# ${comment}\n`);
    }
  });

  it('finds offsets after characters of two and four bytes', () => {
    const text = workflow(`- name: 'Ünïcödé 🚀 한국어 👩‍👩‍👧'\n  run: echo "🚀 ${TITLE} 🚀"`);
    expect(harden(text).after).toContain('run: echo "🚀 ${HEAD_COMMIT_MESSAGE} 🚀"\n');
  });

  it('writes variables in the syntax of the step’s shell', () => {
    const step = `- run: echo "${TITLE}"`;
    const on = (runner: string) => harden(workflow(step).replace('ubuntu-24.04', runner)).after;
    expect(on('ubuntu-24.04')).toContain('echo "${HEAD_COMMIT_MESSAGE}"');
    expect(on('windows-2025')).toContain('echo "${env:HEAD_COMMIT_MESSAGE}"');
    expect(on('${{ inputs.runner }}')).toContain(`echo "${TITLE}"`);
    const matrix = (...systems: string[]) => `\${{ matrix.os }}\n    strategy: { matrix: { os: [${systems.join()}] } }`;
    expect(on(matrix('ubuntu-24.04', 'windows-2025'))).toContain(`echo "${TITLE}"`);
    expect(on(matrix('ubuntu-24.04', 'macos-26'))).toContain('echo "${HEAD_COMMIT_MESSAGE}"');
    const bash = workflow(`${step}\n  shell: bash`).replace('ubuntu-24.04', 'windows-2025');
    expect(harden(bash).after).toContain('echo "${HEAD_COMMIT_MESSAGE}"');
  });

  it.each([
    [
      'block style',
      '  env:\n    A: 1',
      '  env:\n    HEAD_COMMIT_MESSAGE: ${{ github.event.head_commit.message }}\n    A: 1',
    ],
    [
      'flow style',
      '  env: { A: 1 }',
      '  env: { A: 1, HEAD_COMMIT_MESSAGE: "${{ github.event.head_commit.message }}" }',
    ],
  ])('adds to a mapping in %s', (_, env, wanted) => {
    expect(hardened(`- name: x\n${env}\n  run: echo "${TITLE}"`)).toBe(
      `- name: x\n${wanted}\n  run: echo "\${HEAD_COMMIT_MESSAGE}"`,
    );
  });

  it.each([
    ['an empty mapping', '  env: {}'],
    ['a mapping without a value', '  env:'],
    ['a text in place of a mapping', '  env: ${{ matrix.env }}'],
  ])('leaves %s alone where it would have to add', (_, env) => {
    const { after, applied } = harden(workflow(`- name: x\n${env}\n  run: echo "${TITLE}"`), true);
    const repository = createRepository([{ path: PATH, text: after }]);
    expect(repository.files[0]?.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    if (applied.length === 0) expect(after).toContain(TITLE);
    else expect(after).toMatch(/env:[^\n]*\n? *.*HEAD_COMMIT_MESSAGE/);
  });

  it('adds nothing that an alias would repeat elsewhere', () => {
    const text = workflow(`- &x\n  run: echo "${TITLE}"`, '- *x');
    expect(harden(text, true).after).toBe(text);
  });
});

describe('a lockfile of actions:', () => {
  const LOCK = '.github/workflows/actions.lock';
  const lock = yaml`
    version: v0.0.2
    workflows:
      .github/workflows/ci.yml:
        - actions/checkout@v4.1.0
        - acme/deploy@v1
    dependencies:
      acme/deploy@v1:
        ref: v1.4.2
        commit: sha1-${NEW}
        owner_id: 11
        repo_id: 12
      actions/checkout@v4.1.0:
        ref: v4.1.0
        commit: sha1-8ade135a41bc03ea155e62e844d188df1ea18608
        owner_id: 13
        repo_id: 14
  `;
  const inputs = (text: string) => [
    { path: PATH, text },
    { path: LOCK, text: lock },
  ];

  it('counts its entries as pinned', () => {
    const text = workflow('- uses: acme/deploy@v1');
    expect(hardenFile(createRepository(inputs(text)), PATH, { facts, includeReview: true }).after).toBe(text);
  });

  it('prevents inserting an action that it lacks, since runs would not start', () => {
    const text = workflow(
      '- uses: actions/checkout@v4.1.0\n  with:\n    ref: ${{ github.event.pull_request.head.sha }}\n    persist-credentials: false',
    ).replace('on: push', 'on: pull_request_target');
    const alone = hardenFile(createRepository([{ path: PATH, text }]), PATH, { includeReview: true });
    expect(alone.after).toContain('checkout@v4.4.0');
    const { after, refused } = hardenFile(createRepository(inputs(text)), PATH, { includeReview: true });
    expect(after).toContain('checkout@v4.1.0');
    expect(refused.find(({ ruleId }) => ruleId === 'unsafe-pr-checkout-opt-in')?.reason).toMatch(
      /actions\.lock.*actions\/checkout@v4\.4\.0.*gh actions-lock/,
    );
  });
});
