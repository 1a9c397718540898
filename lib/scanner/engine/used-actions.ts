import { nameOf } from '#lib/facts/action-lookups.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import type { Report, Rule, Severity } from './rule.ts';

/** What is weaker concerns the publisher of the action, not who uses it. */
const SHOWN: ReadonlySet<Severity> = new Set(['HIGH', 'MEDIUM']);

export function reportsAtUse(reports: readonly Report[], step: Step, { meta }: Rule): Report[] {
  const { uses } = step;
  const reference = uses?.reference;
  if (uses === undefined || reference?.kind !== 'repository') return [];
  const within = `${nameOf(reference)}@${reference.ref}`;
  const moved = new Map<string, Report>();
  for (const { message, data = {}, severity = meta.severity, confidence, attributes, facts } of reports) {
    const key = JSON.stringify([message, data]);
    if (!SHOWN.has(severity) || moved.has(key)) continue;
    moved.set(key, {
      message,
      data: { ...data, within },
      within,
      at: step,
      span: uses.text.span,
      anchor: `${nameOf(reference)} ${key}`,
      severity,
      ...(confidence === undefined ? {} : { confidence }),
      ...(attributes === undefined ? {} : { attributes }),
      ...(facts === undefined ? {} : { facts }),
    });
  }
  return [...moved.values()];
}
