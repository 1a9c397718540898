import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hardenFile } from '#lib/hardener/harden.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';

const PATH = '.github/workflows/ci.yml';
const FENCE = /\$\{\{\s*(.*?)\s*\}\}/g;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'moved-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function absenceOf(program: string): string {
  const why =
    program === 'pwsh' ? ': neither npm, PyPI nor Debian has PowerShell itself, so it is not installed for tests' : '';
  return `${program} is not on the PATH${why}`;
}

function stepOf(text: string): Step {
  return createRepository([{ path: PATH, text }]).workflows[0]?.jobs[0]?.steps[0] as Step;
}

function run(program: string, step: Step, value: string): string {
  const script = (step.run ?? step.with?.get('script')?.value)?.value.replace(FENCE, () => value) ?? '';
  const env = Object.fromEntries(
    (step.env?.entries ?? []).map(({ name, value: text }) => [name, text.value.replace(FENCE, () => value)]),
  );
  const [flag, ...rest] = { node: ['-e'], pwsh: ['-NoProfile', '-Command'] }[program] ?? ['-c'];
  try {
    return execFileSync(program, [flag as string, ...rest, script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    });
  } catch {
    return 'failed';
  }
}

function workflow(shell: string, script: string): string {
  const lines = script.split('\n').map((line) => `              ${line}`);
  const step =
    shell === 'node'
      ? ['- uses: actions/github-script@v7', '  with:', '        script: |']
      : [`- shell: ${shell}`, '  run: |'];
  return [
    'on: pull_request_target',
    'jobs:',
    '  test:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    ...step.map((line) => `    ${line}`),
    ...lines,
    '',
  ].join('\n');
}

const TITLE = '${{ github.event.pull_request.title }}';

const REVIEWED = `echo before-${TITLE}-after`;

const MOVED: readonly (readonly [shell: string, script: string])[] = [
  ['bash', `echo "title: ${TITLE}."`],
  ['bash', `title=${TITLE}\necho "$title"`],
  ['bash', `if [[ ${TITLE} == fix* ]]; then echo yes; else echo no; fi`],
  ['bash', `case ${TITLE} in fix*) echo fix ;; *) echo other ;; esac`],
  ['bash', `echo '${TITLE}: by somebody'`],
  ['bash', `cat <<EOF\n  ${TITLE}\nEOF`],
  ['bash', `text="$(echo "${TITLE}" | tr a-z A-Z)"\necho "$text"`],
  ['bash', REVIEWED],
  ['sh', `echo "title: ${TITLE}."`],
  ['sh', `title=${TITLE}\necho "$title"`],
  ['python', `import os\nprint("${TITLE}")\nprint('${TITLE}'.upper())`],
  ['pwsh', `Write-Output "title: ${TITLE}."`],
  ['node', `console.log('${TITLE}');\nconsole.log(\`title: ${TITLE}.\`);`],
];

const PROGRAMS: Readonly<Record<string, string>> = { python: 'python3' };

const HOSTILE = [
  '$(touch owned)',
  '`touch owned`',
  '"; touch owned; echo "',
  "'; touch owned; echo '",
  '\nEOF\ntouch owned\n',
  '"); __import__("os").system("touch owned"); print("',
  "'); require('fs').writeFileSync('owned', ''); ('",
  '${require("fs").writeFileSync("owned", "")}',
  '"); Set-Content owned x; ("',
];

describe.each(MOVED)('%s: %s', (shell, script) => {
  const program = PROGRAMS[shell] ?? shell;
  const before = workflow(shell, script);
  const { after } = hardenFile(createRepository([{ path: PATH, text: before }]), PATH, {
    categories: new Set(['CICD-SEC-4']),
    includeReview: script === REVIEWED,
  });

  it('moves to the environment', () => {
    expect(after).not.toBe(before);
    expect(stepOf(after).run?.value ?? stepOf(after).with?.get('script')?.value.value).not.toContain('${{');
  });

  it('prints the same for harmless values', (context) => {
    if (!has(program)) context.skip(absenceOf(program));
    for (const value of ['fix', 'v1.2.3', 'feature/x_y-z', 'ünï']) {
      const wanted = run(program, stepOf(before), value);
      expect(wanted).not.toBe('failed');
      expect(run(program, stepOf(after), value)).toBe(wanted);
    }
  });

  it('executes nothing of a hostile value', (context) => {
    if (!has(program)) context.skip(absenceOf(program));
    for (const value of HOSTILE) {
      run(program, stepOf(after), value);
      expect(readdirSync(folder), value).toEqual([]);
    }
  });
});

describe('a script that is not changed', () => {
  it.each([
    ['bash', `bash -c "echo ${TITLE}"`],
    ['bash', `eval "echo ${TITLE}"`],
    ['bash', `ssh host "echo ${TITLE}"`],
    ['bash', `awk "{ print \\"${TITLE}\\" }" file`],
    ['bash', `jq '.x = "${TITLE}"' file`],
    ['bash', `python3 -c "print('${TITLE}')"`],
    ['bash', `echo "echo ${TITLE}" | sh`],
    ['bash', `cat <<'EOF' > run.sh\n${TITLE}\nEOF`],
    ['bash', `echo $'${TITLE}'`],
    ['bash', `echo '"$x" ${TITLE}'`],
    ['bash', `echo "\\${TITLE}"`],
    ['bash', `echo "$${TITLE}"`],
    ['bash', `echo \`echo ${TITLE}\``],
    ['bash', `echo \${X:-${TITLE}}`],
    ['bash', `echo $(( ${TITLE} + 1 ))`],
    ['bash', `${TITLE} --version`],
    ['bash', `# ${TITLE}\ntrue`],
    ['bash', `for word in ${TITLE}; do echo "$word"; done`],
    ['cmd', `echo "${TITLE}"`],
    ['python', `print("${TITLE}")`],
    ['python', `import os\nprint(f"${TITLE}")`],
    ['python', `import os\nprint("by ${TITLE}")`],
    ['pwsh', `Write-Output '${TITLE}'`],
    ['pwsh', `Write-Output ${TITLE}`],
    ['node', `console.log(${TITLE});`],
    ['node', `// ${TITLE}\nconsole.log(1);`],
    ['node', `console.log('by ${TITLE}');`],
    ['perl {0}', `print "${TITLE}"`],
  ])('%s: %s', (shell, script) => {
    const before = workflow(shell, script);
    const { after } = hardenFile(createRepository([{ path: PATH, text: before }]), PATH, {
      categories: new Set(['CICD-SEC-4']),
      includeReview: true,
    });
    expect(after).toBe(before);
  });
});
