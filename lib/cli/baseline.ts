import { existsSync, readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { AppError } from '#lib/errors.ts';
import { type Report, withFindings } from '#lib/report/report.ts';
import { printableJson } from '#lib/report/runner-commands.ts';
import { replaceFile } from './replace-file.ts';

const Baseline = z.object({
  version: z.literal(1),
  findings: z.array(
    z.object({ root: z.string(), rule_id: z.string(), file: z.nullable(z.string()), fingerprint: z.string() }),
  ),
});

export function applyBaseline(report: Report, file: string): Report {
  if (!existsSync(file)) {
    throw new AppError('usage', `Baseline "${file}" does not exist. Create it with --write-baseline.`);
  }
  if (statSync(file).isCharacterDevice()) throw new AppError('usage', `"${file}" is a device.`);
  let parsed: z.infer<typeof Baseline>;
  try {
    parsed = Baseline.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new AppError('usage', `"${file}" is not a chainbreak baseline.`, { cause });
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
  replaceFile(file, printableJson({ version: 1, findings }, 1));
}
