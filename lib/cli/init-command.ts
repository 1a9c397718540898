import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '#lib/errors.ts';
import { logLine } from '#lib/report/runner-commands.ts';
import { linesOf } from './answers.ts';
import { EXIT } from './exit-codes.ts';
import { refuseLinks, replaceFile } from './replace-file.ts';
import type { Terminal } from './terminal.ts';

const WORKFLOW = '.github/workflows/chainbreak.yml';
const CONFIG = '.github/chainbreak.yml';

interface Offer {
  readonly path: string;
  readonly what: string;
  readonly text: string;
}

export async function initCommand(
  folder: string,
  { yes }: { readonly yes: boolean },
  terminal: Terminal,
): Promise<number> {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) {
    throw new AppError('usage', `"${folder}" is not a folder.`);
  }
  const offers: readonly Offer[] = [
    {
      path: WORKFLOW,
      what: 'a workflow that scans pushes and pull requests',
      text: workflow(defaultBranch(folder)),
    },
    { path: CONFIG, what: 'a configuration to suppress findings and restrict actions', text: CONFIGURATION },
  ];
  const answers = yes ? undefined : linesOf(terminal.stdin);
  for (const { path, what, text } of offers) {
    const file = join(folder, path);
    if (existsSync(file)) {
      say(terminal, `${path} exists and stays as it is.`);
      continue;
    }
    if (answers !== undefined) {
      terminal.stdout.write(`Write ${path}, ${what}? [Y/n] `);
      const { value, done } = await answers.next();
      if (done === true) {
        terminal.stdout.write('\n');
        throw new AppError('usage', 'No answer, so nothing more was written. --yes writes without asking.');
      }
      if (!/^(?:y|yes|)$/i.test(value.trim())) continue;
    }
    refuseLinks(file);
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, text);
    say(terminal, `Wrote ${path}.`);
  }
  await answers?.return(undefined);
  say(terminal, 'The workflow runs scripts/chainbreak.mjs: copy dist/chainbreak.mjs of your Chainbreak build there.');
  say(
    terminal,
    'Next: "chainbreak scan" shows what CI will report, and "chainbreak fix --dry-run" what it can change.',
  );
  return EXIT.clean;
}

function say(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${logLine(text)}\n`);
}

/** Reads the branch from git's files, since git would run what a hostile configuration names. */
function defaultBranch(folder: string): string {
  try {
    const head = readFileSync(join(folder, '.git', 'refs', 'remotes', 'origin', 'HEAD'), 'utf8');
    const [, name] = /^ref: refs\/remotes\/origin\/([\w./-]{1,100})\s*$/.exec(head) ?? [];
    return name ?? 'main';
  } catch {
    return 'main';
  }
}

function workflow(branch: string): string {
  return `name: Chainbreak
on:
  push:
    branches: [${branch}]
  pull_request:
permissions: {}
concurrency:
  group: chainbreak-\${{ github.ref }}
  cancel-in-progress: true
jobs:
  scan:
    name: Attack paths
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      contents: read # to check out
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - run: node scripts/chainbreak.mjs scan --format github
`;
}

const CONFIGURATION = `# Suppress findings, change severities and restrict actions. A comment does the same at one place:
# "# chainbreak: ignore[rule-id] the reason".
ignore: []
#  - rule: unpinned-uses
#    path: .github/workflows/experiments/
#    reason: never holds a secret
severities: []
#  - rule: missing-timeout
#    path: .github/workflows/*-nightly.yml
#    severity: info
`;
