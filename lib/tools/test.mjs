import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { buildMissingCli, installPackages } from './install.mjs';

const RESULTS = 'node_modules/.cache/chainbreak/test-results.json';
const PROJECTS = ['unit', 'integration', 'process', 'all', 'e2e', 'cluster'];

if (!installPackages() || !buildMissingCli()) process.exit(1);

const named = process.argv.slice(2).filter((argument) => PROJECTS.includes(argument));
const others = process.argv.slice(2).filter((argument) => !PROJECTS.includes(argument));
const projects = named.length > 0 ? named : ['all'];

mkdirSync('node_modules/.cache/chainbreak', { recursive: true });
rmSync(RESULTS, { force: true });
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${RESULTS}`,
    ...others,
  ],
  { stdio: 'inherit' },
);
if (!existsSync(RESULTS)) process.exit(status || 1);
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(RESULTS, 'utf8'));
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped\n`);
process.exit(status ?? 1);
