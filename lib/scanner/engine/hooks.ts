import { memoByNode } from '#lib/analysis/memo.ts';
import type { Contents, Definition } from '#lib/workflow/model/model.ts';
import type { Check, Report, Rule, RuleContext } from './rule.ts';

interface Visit {
  readonly check: Check<unknown, string>;
  readonly subjectsIn: (contents: Contents) => readonly unknown[];
}

export interface HookedRule {
  readonly rule: Rule;
  readonly visits: readonly Visit[];
}

export type HookTable = Readonly<Record<Definition['kind'], readonly HookedRule[]>>;

export function hookTable(rules: readonly Rule[]): HookTable {
  const workflow: HookedRule[] = [];
  const action: HookedRule[] = [];
  for (const rule of rules) {
    const hooks = hooksOf(rule);
    if (hooks.workflow.length > 0) workflow.push({ rule, visits: hooks.workflow });
    if (hooks.action.length > 0) action.push({ rule, visits: hooks.action });
  }
  return { workflow, action };
}

const hooksOf = memoByNode(({ check }: Rule): Readonly<Record<Definition['kind'], readonly Visit[]>> => {
  const inBoth = [
    visit(check.condition, ({ conditions }) => conditions),
    visit(check.step, ({ steps }) => steps),
    visit(check.run, ({ runs }) => runs),
    visit(check.uses, ({ uses }) => uses),
  ].flat();
  return {
    workflow: [
      visit(check.workflow, ({ definition }) => (definition.kind === 'workflow' ? [definition] : [])),
      visit(check.job, ({ jobs }) => jobs),
      visit(check.callJob, ({ callJobs }) => callJobs),
      inBoth,
    ].flat(),
    action: [
      visit(check.action, ({ definition }) => (definition.kind === 'action' ? [definition] : [])),
      inBoth,
    ].flat(),
  };
});

function visit<Subject>(
  check: Check<Subject, string> | undefined,
  subjectsIn: (contents: Contents) => readonly Subject[],
): Visit[] {
  return check === undefined ? [] : [{ check: check as Check<unknown, string>, subjectsIn }];
}

export function visitFile(
  { rule, visits }: HookedRule,
  contents: Contents,
  context: RuleContext,
  report: (report: Report) => void,
): void {
  if (rule.when?.(contents, context) === false) return;
  for (const { check, subjectsIn } of visits) {
    for (const subject of subjectsIn(contents)) for (const each of check(subject, context)) report(each);
  }
}
