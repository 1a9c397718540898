import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { AppError } from '#lib/errors.ts';
import { type Report, withFindings } from '#lib/report/report.ts';

/** Findings known at some time, by their fingerprints: later scans report only what is new. */
const Baseline = z.object({
  version: z.literal(1),
  findings: z.array(
    z.object({ root: z.string(), rule_id: z.string(), file: z.nullable(z.string()), fingerprint: z.string() }),
  ),
});

/** Leaves out what a baseline file knows. Throws an AppError when the file is missing or is none. */
export function applyBaseline(report: Report, file: string): Report {
  if (!existsSync(file)) {
    throw new AppError('usage', `There is no baseline "${file}". Write one with --write-baseline.`);
  }
  let parsed: z.infer<typeof Baseline>;
  try {
    parsed = Baseline.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new AppError('usage', `"${file}" is no baseline of this program.`, { cause });
  }
  const known = new Set(parsed.findings.map(({ root, fingerprint }) => `${root} ${fingerprint}`));
  const fresh = report.findings.filter(({ root, fingerprint }) => !known.has(`${root} ${fingerprint}`));
  return withFindings(report, fresh, report.findings.length - fresh.length);
}

export function writeBaseline(report: Report, file: string): void {
  const findings = report.findings.map(({ root, ruleId, file: path, fingerprint }) => ({
    root,
    rule_id: ruleId,
    file: path,
    fingerprint,
  }));
  writeFileSync(file, `${JSON.stringify({ version: 1, findings }, null, 1)}\n`);
}
