import { memoByNode } from '#lib/analysis/memo.ts';
import type { Contents, Definition } from '#lib/workflow/model/model.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
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
      visit(check.workflow, ({ workflows }) => workflows),
      visit(check.job, ({ jobs }) => jobs),
      visit(check.callJob, ({ callJobs }) => callJobs),
      inBoth,
    ].flat(),
    action: [visit(check.action, ({ actions }) => actions), inBoth].flat(),
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
  report: (report: Report, rule: Rule, source: SourceFile) => void,
): void {
  if (rule.when?.(contents, context) === false) return;
  const { source } = contents.definition;
  for (let index = 0; index < visits.length; index += 1) {
    const { check, subjectsIn } = visits[index] as Visit;
    const subjects = subjectsIn(contents);
    for (let place = 0; place < subjects.length; place += 1) {
      for (const each of check(subjects[place], context)) report(each, rule, source);
    }
  }
}
