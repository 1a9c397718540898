import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { buildCli } from './build-cli.mjs';

const WARM_UP = 60;
const EDITS = Number(process.argv[2] ?? 300);
const OTHERS = 20;
const LINES = 500;
const BUDGET_MS = 50;
const BETWEEN_KEYS_MS = 80;

const HEAD = `name: Build
on:
  push: { branches: [main] }
  pull_request:
  issue_comment:
permissions: {}
jobs:
`;
const job = (number: number): string => `  job${number}:
    name: Job ${number}
    if: github.event_name != 'issue_comment' || contains(github.event.comment.body, '/run ${number}')
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    permissions:
      contents: read
      pull-requests: write
    env:
      TITLE: \${{ github.event.pull_request.title }}
    steps:
      - uses: actions/checkout@v4
        with:
          ref: \${{ github.event.pull_request.head.sha }}
      - uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm }
      - run: |
          npm ci
          npm run build -- --name "$TITLE"
          echo "\${{ github.head_ref }}" >> "$GITHUB_STEP_SUMMARY"
      - run: npx deploy --token "\${{ secrets.DEPLOY_${number} }}"
        if: github.ref == 'refs/heads/main'
`;

function workflow(lines: number): string {
  let text = HEAD;
  for (let number = 1; text.split('\n').length <= lines; number += 1) text += job(number);
  return `${text.split('\n').slice(0, lines).join('\n')}\n`;
}

/** Processor time of the server on Linux, which counts it in ticks of ten milliseconds. */
function processorMs(): number {
  const file = `/proc/${child.pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const [, user = 0, system = 0] = /\) \S(?: \S+){10} (\d+) (\d+)/.exec(readFileSync(file, 'utf8')) ?? [];
  return (Number(user) + Number(system)) * 10;
}

await buildCli();
const folder = mkdtempSync(join(tmpdir(), 'chainbreak-bench-'));
const child = spawn(process.execPath, ['dist/cli.mjs', 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
try {
  const workflows = join(folder, '.github/workflows');
  mkdirSync(workflows, { recursive: true });
  for (let index = 0; index < OTHERS; index += 1) writeFileSync(join(workflows, `other${index}.yml`), workflow(120));
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let arrived: (version: number) => void = () => {};
  connection.onNotification(PublishDiagnosticsNotification.type, ({ version = 0 }) => arrived(version));
  connection.listen();
  const started = performance.now();
  await connection.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification(InitializedNotification.type, {});
  const uri = pathToFileURL(join(workflows, 'ci.yml')).href;
  const text = workflow(LINES);
  const line = text.split('\n').findIndex((each, index) => index > LINES / 2 && each.includes('npm run build'));
  const shown = (version: number): Promise<void> =>
    new Promise((resolve) => {
      arrived = (each) => {
        if (each === version) resolve();
      };
    });
  const first = shown(1);
  const textDocument = { uri, languageId: 'yaml', version: 1, text };
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  await first;
  process.stdout.write(`start to first diagnostics: ${(performance.now() - started).toFixed(0)} ms\n`);
  const times: number[] = [];
  let used = 0;
  for (let version = 2; version < 2 + WARM_UP + EDITS; version += 1) {
    const at = { line, character: '          npm run build'.length };
    const start = performance.now();
    const answer = shown(version);
    await connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [{ range: { start: at, end: at }, text: 'x' }],
    });
    await answer;
    if (version >= 2 + WARM_UP) times.push(performance.now() - start);
    if (version === 1 + WARM_UP) used = processorMs();
    await setTimeout(BETWEEN_KEYS_MS);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  process.stdout.write(
    `${LINES} lines, ${times.length} keystrokes: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, most ${at(1).toFixed(1)} ms\n`,
  );
  process.stdout.write(`processor time: ${((processorMs() - used) / times.length).toFixed(1)} ms a keystroke\n`);
  if (at(0.95) > BUDGET_MS) process.exitCode = 1;
} finally {
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}
