import { evaluateAction } from '#lib/collector/evaluate-action.ts';
import { checkChange } from '../checks/check-change.ts';
import { fixNeeds, proposeFixes } from '../fixes/proposals.ts';
import { hardenText, readWorkflow } from '../hardening/workflow.ts';
import { summarize } from '../public-scans/report-summary.ts';
import { runRules } from '../scans/evaluate.ts';
import { findPackages, needsOf } from '../scans/needs.ts';

export const TASKS = {
  checkChange,
  summarize,
  needsOf,
  findPackages,
  runRules,
  evaluateAction,
  readWorkflow,
  hardenText,
  fixNeeds,
  proposeFixes,
} as const;

type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>;
export type TaskResult<Name extends TaskName> = ReturnType<Tasks[Name]>;

export interface TaskCall<Name extends TaskName = TaskName> {
  readonly name: Name;
  readonly input: TaskInput<Name>;
}
