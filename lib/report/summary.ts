import type { Counts } from '#lib/scanner/engine/finding.ts';
import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Report } from './report.ts';

export function summaryLine(report: Report): string {
  const { counts, files, repositories, suppressed, inBaseline, base, omitted, pedantic = 0 } = report;
  const where = `${plural(files, 'file')}${repositories > 1 ? ` of ${plural(repositories, 'repository', 'repositories')}` : ''}`;
  const parts = [`${countsText(counts)}${base === undefined ? '' : ' added'} in ${where}`];
  const unlisted = omitted.reduce((sum, { count }) => sum + count, 0);
  if (unlisted > 0) parts.push(`${unlisted} more not listed`);
  if (pedantic > 0) parts.push(`${pedantic} more with --pedantic`);
  if (suppressed.length > 0) parts.push(`${suppressed.length} suppressed`);
  if (inBaseline !== undefined) parts.push(`${inBaseline} in the baseline`);
  if (base !== undefined) parts.push(`${base.known} already at ${base.commit.slice(0, 12)}`);
  return parts.join('; ');
}

export function countsText(counts: Counts): string {
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (present.length === 0) return 'No findings';
  return present.map((severity) => `${counts[severity]} ${severity.toLowerCase()}`).join(', ');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
