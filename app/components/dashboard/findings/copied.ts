import { codeSpan, escapeForeign } from '#lib/report/markdown-text.ts';
import { oneLine } from '#lib/report/visible.ts';
import { SEVERITY_LABELS } from '../../../messages.ts';
import { STATUS_TEXTS } from './status.ts';
import type { FindingRow } from './use-findings.ts';

const HEADER = ['Severity', 'Rule', 'Title', 'Repository', 'File', 'Line', 'Status', 'First seen'];

/** Returns findings as CSV (RFC 4180). What a spreadsheet would read as a formula begins with an apostrophe. */
export function toCsv(rows: readonly FindingRow[]): string {
  const lines = rows.map(({ severity, rule_id, title, full_name, file, line, status, first_seen_at }) => [
    SEVERITY_LABELS[severity].label,
    rule_id,
    title,
    full_name,
    file ?? '',
    line === null ? '' : String(line),
    STATUS_TEXTS[status].label,
    first_seen_at.slice(0, 10),
  ]);
  return [HEADER, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const plain = oneLine(text);
  const safe = /^[=+\-@\t]/.test(plain) ? `'${plain}` : plain;
  return /[",;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toMarkdown(rows: readonly FindingRow[]): string {
  return rows
    .map(({ severity, rule_id, title, full_name, file, line }) => {
      const place = file === null ? 'repository setting' : codeSpan(`${file}${line === null ? '' : `:${line}`}`);
      return `- **${SEVERITY_LABELS[severity].label}** ${escapeForeign(title)} (${codeSpan(rule_id)}) in ${escapeForeign(full_name)}, ${place}\n`;
    })
    .join('');
}
