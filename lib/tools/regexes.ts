import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { judge, listRegexes, readVerdicts, type Stored, VERDICTS } from '../../tests/support/regexes.ts';

const TIMEOUT_MS = 10_000;

const known = readVerdicts();
const isAnew = process.argv.includes('--all');
const { regexes, dynamic } = listRegexes();
const verdicts = new Map<string, Stored>();
const counts = { linear: 0, measured: 0, superlinear: 0 };
for (const [name, { regex, places }] of regexes) {
  const stored = isAnew ? undefined : known.regexes[name];
  const verdict = stored === undefined ? await judge(regex, TIMEOUT_MS) : undefined;
  if (verdict?.kind === 'superlinear') {
    counts.superlinear += 1;
    console.log(`${places.join(', ')}\n  ${name}\n  ${verdict.because}`);
    continue;
  }
  const kept =
    stored ?? (verdict?.kind === 'measured' ? { because: verdict.because, attack: verdict.attack } : 'linear');
  verdicts.set(name, kept as Stored);
  counts[kept === 'linear' ? 'linear' : 'measured'] += 1;
}
console.log(
  `${regexes.size} regular expressions: ${counts.linear} linear, ${counts.measured} measured, ${counts.superlinear} superlinear; ${dynamic.length} built from a variable.`,
);

if (process.argv.includes('--write')) {
  const sorted = [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  const content = { dynamic: known.dynamic, regexes: Object.fromEntries(sorted) };
  writeFileSync(VERDICTS, `${JSON.stringify(content, null, 2)}\n`);
  execFileSync('npx', ['biome', 'format', '--write', VERDICTS], { stdio: 'inherit' });
}
if (counts.superlinear > 0) process.exitCode = 1;
