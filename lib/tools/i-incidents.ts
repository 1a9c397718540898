import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scanRepository } from '../scanner/scan.ts';
import { createRepository } from '../workflow/repository.ts';

const ROOT = 'tests/fixtures/incidents';
const NOISE =
  /unpinned-uses|missing-timeout|anonymous|use-trusted|excessive-perm|workflow-env|adhoc|known-vuln|archived/;
function files(d: string, p = ''): { path: string; text: string }[] {
  return readdirSync(d).flatMap((n) => {
    const f = join(d, n);
    const q = p === '' ? n : `${p}/${n}`;
    return statSync(f).isDirectory() ? files(f, q) : [{ path: q, text: readFileSync(f, 'utf8') }];
  });
}
const only = process.argv[2];
for (const name of readdirSync(ROOT)) {
  if (only && !name.includes(only)) continue;
  for (const v of ['vulnerable', 'corrected']) {
    const r = scanRepository(createRepository(files(join(ROOT, name, v))));
    console.log(
      `## ${name}/${v}` +
        (r.diagnostics.length
          ? ` DIAG ${r.diagnostics.map((d) => d.file + ':' + d.line + ' ' + d.message).join(';')}`
          : ''),
    );
    for (const f of r.findings) {
      if (NOISE.test(f.ruleId) && !only) continue;
      if (v === 'corrected' && f.severity !== 'HIGH' && !only && f.severity !== 'MEDIUM') continue;
      console.log(
        `   ${f.severity}/${f.confidence} ${f.ruleId}.${f.message} ${f.file}:${f.line} ${f.description.slice(0, only ? 400 : 150)}`,
      );
    }
  }
}
