import { expect, it } from 'vitest';
import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths } from '#lib/combos/match.ts';
import { type Facts, knownDefinitions, NO_FACTS } from '#lib/facts/facts.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import {
  AFTER_BUILD,
  buildOf,
  composite,
  type Files,
  jobs,
  LOCAL,
  main,
  type StepLike,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const USED = 'other/tool@v1';
const TITLE = '${{ github.event.pull_request.title }}';
const BODY = '${{ github.event.pull_request.body }}';
const SHA = '${{ github.event.pull_request.head.sha }}';
const INPUT = { inputs: { value: { description: 'x' } } };

function known(steps: readonly StepLike[], top: object = {}): Facts {
  return definedAs(Object.values(composite(steps, top))[0] ?? '');
}

function definedAs(text: string): Facts {
  return knownDefinitions({ [USED]: text });
}

function scan(files: Files | string, facts: Facts): { findings: readonly Finding[]; paths: string[] } {
  const inputs = Object.entries(typeof files === 'string' ? main(files) : files).map(([path, text]) => ({
    path,
    text,
  }));
  const repository = createRepository(inputs, 'acme/app');
  const { findings, diagnostics } = scanRepository(repository, { facts });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const paths = findPaths(collectEvidence(repository, findings, facts)).map(
    ({ comboId, severity }) => `${severity} ${comboId}`,
  );
  return { findings, paths };
}

const describe = ({ severity, ruleId, description, line }: Finding): string =>
  `${severity} ${ruleId} ${line} ${description}`;

const onTarget = (...steps: StepLike[]): string => workflow('pull_request_target', steps);
const BUILD = buildOf('out');
const GET: StepLike = {
  uses: 'actions/download-artifact@v4',
  with: { name: 'out', 'run-id': '${{ github.event.workflow_run.id }}', 'github-token': '${{ github.token }}' },
};

const ATTACKS: readonly [name: string, files: Files | string, facts: Facts, reported: RegExp][] = [
  [
    'event text in its script',
    onTarget({ uses: USED }),
    known([`echo "${TITLE}"`]),
    /^HIGH template-injection 8 .* is inserted into a script in other\/tool@v1\.$/,
  ],
  [
    'event text in a script of its github-script',
    onTarget({ uses: USED }),
    known([{ uses: 'actions/github-script@v7', with: { script: `core.info(\`${TITLE}\`)` } }]),
    /^HIGH template-injection 8 .* in other\/tool@v1\.$/,
  ],
  [
    'text that the caller passes',
    onTarget({ uses: USED, with: { value: TITLE } }),
    known(['echo "${{ inputs.value }}"'], INPUT),
    /^HIGH reusable-workflow-taint 8 .* in other\/tool@v1\.$/,
  ],
  [
    'text that the caller passes to a variable which is evaluated',
    onTarget({ uses: USED, with: { value: TITLE } }),
    known([{ run: 'eval "$V"', env: { V: '${{ inputs.value }}' } }], INPUT),
    /^HIGH reusable-workflow-taint 8 .* in other\/tool@v1\.$/,
  ],
  [
    'text in a default of its input',
    onTarget({ uses: USED }),
    known(['echo "${{ inputs.value }}"'], { inputs: { value: { default: TITLE } } }),
    /^HIGH (?:template-injection|reusable-workflow-taint) 8 .* in other\/tool@v1\.$/,
  ],
  [
    'text in the environment file',
    onTarget({ uses: USED, with: { value: BODY } }),
    known([{ run: 'echo "T=${V}" >> "$GITHUB_ENV"', env: { V: '${{ inputs.value }}' } }], INPUT),
    /^HIGH github-env 8 .* in other\/tool@v1\.$/,
  ],
  [
    'an output that holds text of the caller',
    onTarget({ id: 'a', uses: USED, with: { value: TITLE } }, 'echo "${{ steps.a.outputs.r }}"'),
    known([{ id: 's', run: 'echo "r=$V" >> "$GITHUB_OUTPUT"', env: { V: '${{ inputs.value }}' } }], {
      ...INPUT,
      outputs: { r: { description: 'x', value: '${{ steps.s.outputs.r }}' } },
    }),
    /^HIGH (?:template-injection|reusable-workflow-taint) 1\d /,
  ],
  [
    'an output that holds event text',
    onTarget({ id: 'a', uses: USED }, 'echo "${{ steps.a.outputs.r }}"'),
    known([{ id: 's', run: 'echo "r=$V" >> "$GITHUB_OUTPUT"', env: { V: TITLE } }], {
      outputs: { r: { description: 'x', value: '${{ steps.s.outputs.r }}' } },
    }),
    /^HIGH (?:template-injection|reusable-workflow-taint) 1\d /,
  ],
  [
    'a checkout of the head before a build of the job',
    onTarget({ uses: USED }, 'make'),
    known([{ uses: 'actions/checkout@v4.1.0', with: { ref: SHA } }]),
    /^HIGH untrusted-checkout-exec 9 /,
  ],
  [
    'a checkout of a ref that the caller passes',
    onTarget({ uses: USED, with: { value: SHA } }, 'make'),
    known([{ uses: 'actions/checkout@v4.1.0', with: { ref: '${{ inputs.value }}' } }], INPUT),
    /^HIGH untrusted-checkout-exec 1\d /,
  ],
  [
    'a checkout and a build of its own',
    onTarget({ uses: USED }),
    known([{ uses: 'actions/checkout@v4.1.0', with: { ref: SHA } }, 'npm ci']),
    /^HIGH untrusted-checkout-exec 8 npm ci in other\/tool@v1 /,
  ],
  [
    'a checkout by git',
    onTarget({ uses: USED }, 'make'),
    known(['gh pr checkout ${{ github.event.number }}']),
    /^HIGH untrusted-checkout-exec 9 /,
  ],
  [
    'a ref that it looks up',
    workflow('issue_comment', [
      { id: 'a', uses: USED },
      { uses: 'actions/checkout@v4.1.0', with: { ref: '${{ steps.a.outputs.r }}' } },
      'make',
    ]),
    known([{ id: 's', run: 'echo "r=$(gh pr view 1 --json headRefOid -q .headRefOid)" >> "$GITHUB_OUTPUT"' }], {
      outputs: { r: { description: 'x', value: '${{ steps.s.outputs.r }}' } },
    }),
    /^HIGH untrusted-checkout-exec /,
  ],
  [
    'a download of an artifact before a script of it',
    main(workflow(AFTER_BUILD, [{ uses: USED }, 'bash run.sh']), BUILD),
    known([GET]),
    /^HIGH artifact-poisoning \d+ The artifact fetched by actions\/download-artifact in other\/tool@v1 comes from Build/,
  ],
  [
    'a download and a script of the artifact',
    main(workflow(AFTER_BUILD, [{ uses: USED }]), BUILD),
    known([GET, 'bash ./run.sh']),
    /^HIGH artifact-poisoning \d+ The artifact fetched by actions\/download-artifact in other\/tool@v1 comes from Build/,
  ],
  [
    'a cache in a job that publishes',
    jobs(
      'push',
      { main: { steps: [{ uses: 'actions/checkout@v4' }, { uses: USED }, 'npm ci', 'npm publish'] } },
      { permissions: { 'id-token': 'write', contents: 'read' } },
    ),
    known([{ uses: 'actions/cache@v4', with: { path: 'node_modules', key: 'a', 'restore-keys': 'a' } }]),
    /^(?:LOW|MEDIUM) cache-poisoning \d+ actions\/cache in other\/tool@v1 restores /,
  ],
  [
    'its use in a local action',
    main(onTarget({ uses: LOCAL, with: { value: TITLE } }), {
      ...composite([{ uses: USED, with: { value: '${{ inputs.value }}' } }], INPUT),
    }),
    known(['echo "${{ inputs.value }}"'], INPUT),
    /^HIGH reusable-workflow-taint .* in other\/tool@v1\.$/,
  ],
];

it.each(ATTACKS)('reports what a composite action of another repository does: %s', (_, files, facts, reported) => {
  const described = scan(files, facts).findings.map(describe);
  expect(described).toEqual(expect.arrayContaining([expect.stringMatching(reported)]));
  const offline = scan(files, NO_FACTS).findings.map(describe);
  expect(offline).not.toEqual(expect.arrayContaining([expect.stringMatching(reported)]));
});

const RULES =
  /template-injection|reusable-workflow-taint|github-env|argument-injection|untrusted-checkout|artifact-poisoning|cache-poisoning/;

const NEAR: readonly [name: string, files: Files | string, facts: Facts][] = [
  ['event text as a quoted variable', onTarget({ uses: USED }), known([{ run: 'echo "$T"', env: { T: TITLE } }])],
  [
    'a value of the author in its script',
    onTarget({ uses: USED, with: { value: 'fixed' } }),
    known(['echo "${{ inputs.value }}"'], INPUT),
  ],
  [
    'an input that nobody fills with text of outsiders',
    onTarget({ uses: USED, with: { value: '${{ github.sha }}' } }),
    known(['make ${{ inputs.value }}'], INPUT),
  ],
  ['event text in a run that only pushes start', workflow('push', [{ uses: USED }]), known([`echo "${TITLE}"`])],
  [
    'an output that holds a number',
    onTarget({ id: 'a', uses: USED, with: { value: TITLE } }, 'echo "${{ steps.a.outputs.r }}"'),
    known([{ id: 's', run: 'echo "r=1" >> "$GITHUB_OUTPUT"' }], {
      ...INPUT,
      outputs: { r: { description: 'x', value: '${{ steps.s.outputs.r }}' } },
    }),
  ],
  ['a checkout of the base', onTarget({ uses: USED }, 'make'), known([{ uses: 'actions/checkout@v4.1.0' }])],
  [
    'a step that its input switches off',
    onTarget({ uses: USED, with: { value: 'no' } }),
    known([{ if: "inputs.value == 'yes'", uses: 'actions/checkout@v4.1.0' }], INPUT),
  ],
  ['steps of an action that is not a composite', onTarget({ uses: USED }), definedAs('runs:\n  using: node24\n')],
  ['a definition that is no YAML', onTarget({ uses: USED }), definedAs('runs: {using: composite\n  - [')],
];

it.each(NEAR)('is quiet on %s in an action of another repository', (_, files, facts) => {
  const { findings } = scan(files, facts);
  const own = findings.filter(
    ({ ruleId, severity }) => RULES.test(ruleId) && (severity === 'HIGH' || severity === 'MEDIUM'),
  );
  expect(own.map(describe)).toEqual([]);
});

it('joins what a used action does into attack paths', () => {
  const { paths } = scan(onTarget({ uses: USED }), known([`echo "${TITLE}"`]));
  expect(paths).toContain('CRITICAL event-text-to-shell-with-credentials');
});

it('judges each use of an action by its own run', () => {
  const files = {
    '.github/workflows/a.yml': onTarget({ uses: USED, with: { value: TITLE } }),
    '.github/workflows/b.yml': workflow('push', [{ uses: USED, with: { value: TITLE } }]),
  };
  const { findings } = scan(files, known(['echo "${{ inputs.value }}"'], INPUT));
  const own = findings.filter(({ ruleId }) => ruleId === 'reusable-workflow-taint');
  expect(own.map(({ file, severity, step }) => [file, severity, step])).toEqual([
    ['.github/workflows/a.yml', 'HIGH', 0],
  ]);
});

it('keeps the fingerprint when a used action moves to a new version', () => {
  const fingerprintOf = (use: string): string | undefined => {
    const [text = ''] = Object.values(composite([`echo "${TITLE}"`]));
    const facts = knownDefinitions({ [`other/tool@${use}`]: text });
    return scan(onTarget({ uses: `other/tool@${use}` }), facts).findings.find(
      ({ ruleId }) => ruleId === 'template-injection',
    )?.fingerprint;
  };
  expect(fingerprintOf('v1')).toBeDefined();
  expect(fingerprintOf('v1')).toBe(fingerprintOf('v2'));
});

it('reads definitions of others within limits', () => {
  const step = `    - run: echo "${TITLE}"\n      shell: bash\n`;
  const text = `name: x\ndescription: x\nruns:\n  using: composite\n  steps:\n${step.repeat(300)}`;
  const uses = Array.from({ length: 60 }, () => ({ uses: USED }));
  const { findings } = scan(onTarget(...uses), definedAs(text));
  const own = findings.filter(({ ruleId }) => ruleId === 'template-injection');
  expect(own.length).toBe(Math.floor(500_000 / text.length));
});
