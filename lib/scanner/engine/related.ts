import type { Job } from '#lib/workflow/model/model.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import type { RelatedPlace } from './finding.ts';
import type { Related, Report } from './rule.ts';

export function relatedPlaces(
  report: Report,
  job: Job | undefined,
  source: SourceFile | undefined,
  excerpt: (source: SourceFile, span: Span) => string,
): RelatedPlace[] {
  return [...(report.related ?? []), ...triggersOf(report, job)].flatMap(({ span, note, file = source }) => {
    if (file === undefined) return [];
    const { line, column } = file.position(span.start);
    const end = file.position(Math.max(span.start, span.end));
    const snippet = excerpt(file, span);
    return [{ file: file.path, line, column, endLine: end.line, endColumn: end.column, note, snippet }];
  });
}

function triggersOf({ attributes = {} }: Report, job: Job | undefined): Related[] {
  const { event, source, trigger_trust: trust } = attributes;
  if (job === undefined || typeof event !== 'string' || (source !== 'event' && trust !== 'outsider')) return [];
  const { triggers, source: file } = job.workflow;
  return triggers
    .filter((trigger) => trigger.event === event)
    .map(({ span }) => ({ span, note: 'outsiders start the run with this', file }));
}
