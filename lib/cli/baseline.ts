import { existsSync, readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { AppError } from '#lib/errors.ts';
import { type Report, withFindings } from '#lib/report/report.ts';
import { printableJson } from '#lib/report/runner-commands.ts';
import { plural } from '#lib/report/summary.ts';
import { joinFirst } from '#lib/workflow/text/join-list.ts';
import { replaceFile } from './replace-file.ts';

const Baseline = z.object({
  version: z.literal(1),
  findings: z.array(
    z.object({ root: z.string(), rule_id: z.string(), file: z.nullable(z.string()), fingerprint: z.string() }),
  ),
});

const MAX_NAMED = 5;

export function applyBaseline(report: Report, file: string, coversEverything: boolean): Report {
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
  const key = ({ root, fingerprint }: { readonly root: string; readonly fingerprint: string }): string =>
    `${root} ${fingerprint}`;
  const known = new Set(parsed.findings.map(key));
  const fresh = report.findings.filter((finding) => !known.has(key(finding)));
  const found = new Set(report.findings.map(key));
  const open = new Set(report.notAssessed.map(({ ruleId }) => ruleId));
  const stale = coversEverything
    ? parsed.findings.filter((entry) => !found.has(key(entry)) && !open.has(entry.rule_id))
    : [];
  const compared = withFindings(report, fresh, report.findings.length - fresh.length);
  if (stale.length === 0) return compared;
  return { ...compared, diagnostics: [...compared.diagnostics, noticeOf(stale, file)] };
}

function noticeOf(stale: z.infer<typeof Baseline>['findings'], file: string): Report['diagnostics'][number] {
  const names = stale.map(({ rule_id: rule, file: path }) => `${rule} in ${path ?? 'repository settings'}`);
  const what = `${plural(stale.length, 'entry', 'entries')} of the baseline ${stale.length === 1 ? 'has' : 'have'} no finding any more`;
  const message = `${what}: ${joinFirst([...new Set(names)], MAX_NAMED)}. --write-baseline writes it anew.`;
  return { root: '.', file, line: null, column: null, severity: 'warning', message };
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
