import { rejectionOf, type StartBarrier, startBarrier } from '#lib/analysis/impact/start-barriers.ts';
import { runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { known } from '#lib/facts/facts.ts';
import { type Job, jobOf, type Step, sourceOf } from '#lib/workflow/model/model.ts';
import type { Report, Rule, RuleContext } from './rule.ts';

export const HARMFUL_WITHOUT_RUN: ReadonlySet<string> = new Set([
  'compromised-action-ref',
  'hardcoded-container-credentials',
  'hardcoded-secret',
  'impostor-commit',
  'malicious-workflow-indicator',
  'obfuscation',
  'tag-drift-observed',
]);

/** Returns why a job cannot start, unless a self-hosted runner of the repository has its label. */
export function barrierBefore(job: Job, { repository, facts }: RuleContext): StartBarrier | undefined {
  const barrier = startBarrier(job, repository);
  const runners = barrier?.label === undefined ? [] : (known(facts, 'runners') ?? []);
  const taken = runners.some(({ labels }) => labels.some((label) => label.toLowerCase() === barrier?.label));
  return taken ? undefined : barrier;
}

const HOLDS_WITHOUT_RUN: ReadonlySet<string> = new Set([
  'constant-condition',
  'missing-dependency-updates',
  'skipped-required-check',
  'workflow-lint',
]);

/**
 * Lowers a HIGH report about a job that cannot start, a MEDIUM one in a rejected file, and a MEDIUM or LOW one that no run
 * can reach, and states the reason.
 */
export function withBarrier(report: Report, { id, meta }: Rule, context: RuleContext): Report {
  const severity = report.severity ?? meta.severity;
  if (severity === 'INFO' || HARMFUL_WITHOUT_RUN.has(id)) return report;
  const { at } = report;
  if ('setting' in at || at.kind === 'lockfile' || at.kind === 'dependabot' || at.kind === 'action') return report;
  const node = at.kind === 'step' ? jobOf(at) : at;
  const isLow = severity === 'LOW';
  const rejection = isLow ? undefined : node && rejectionOf(node.kind === 'workflow' ? node : node.workflow);
  const unmet = at.kind === 'workflow' || HOLDS_WITHOUT_RUN.has(id) ? undefined : conditionBefore(at, context);
  const barrier =
    rejection ?? unmet ?? (node?.kind === 'job' && severity === 'HIGH' ? barrierBefore(node, context) : undefined);
  if (barrier === undefined) return report;
  const then = isLow ? '' : `, and the finding is ${severity} then`;
  const note = `the job cannot start until this changes${then}: ${barrier.because}`;
  const related = [...(report.related ?? []), { span: barrier.span, note, file: sourceOf(at) }];
  return { ...report, severity: severity === 'HIGH' ? 'MEDIUM' : barrier === unmet ? 'INFO' : 'LOW', related };
}

function conditionBefore(at: Job | Step, { repository }: RuleContext): StartBarrier | undefined {
  if (runsHere(at, repository)) return undefined;
  const job = at.kind === 'step' ? jobOf(at) : at;
  const node = job === undefined || runsHere(job, repository) ? at : job;
  return node.condition && { because: 'no event of the workflow meets the condition', span: node.condition.span };
}
