import { imagesToPin } from '#lib/analysis/inventory/images.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { Hunk } from '#lib/hardener/changes.ts';
import { hardenFile } from '#lib/hardener/harden.ts';
import { describeFix, type HardenedFile } from '#lib/hardener/hardening.ts';
import { CATEGORIES, CATEGORY_TITLES } from '#lib/scanner/engine/categories.ts';
import { type Counts, countBySeverity } from '#lib/scanner/engine/finding.ts';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { withInserted } from '#lib/scanner/remedies/inserted-actions.ts';
import { actionsUsedBy, type UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Workflow } from '#lib/workflow/model/model.ts';
import type { ImageReference } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, fileKind } from '#lib/workflow/repository.ts';
import { platformOf } from '../scans/platform.ts';

export interface Pasted {
  readonly text: string;
  readonly filename: string;
  readonly categories: ReadonlySet<Category>;
  readonly includeReview: boolean;
}

export interface WorkflowNeeds {
  readonly used: readonly UsedAction[];
  readonly asked: readonly UsedAction[];
  readonly images: readonly ImageReference[] | undefined;
}

interface ReplyHunk {
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
}

export interface HardenReply {
  readonly hardened: string;
  readonly diff: string;
  readonly changed: boolean;
  readonly categories: readonly {
    readonly category: Category;
    readonly title: string;
    readonly applied: boolean;
    readonly fixes: readonly { readonly rule_id: string; readonly line: number; readonly description: string }[];
    readonly hunks: readonly ReplyHunk[];
  }[];
  readonly unattributed_hunks: readonly ReplyHunk[];
  readonly refused: readonly { readonly rule_id: string; readonly line: number; readonly reason: string }[];
  readonly remaining: Counts;
}

const DEFAULT_NAME = 'workflow.yml';
const FIX_MS = 10_000;

export function readWorkflow(pasted: Pasted, env: Pick<Env, 'scm'>): WorkflowNeeds {
  const { filename, categories, includeReview } = pasted;
  const { repository } = parse(pasted, env);
  checkWorkflow(repository, filename);
  const pins = categories.has('CICD-SEC-3');
  const used = pins ? actionsUsedBy(repository) : [];
  return {
    used,
    asked: includeReview ? withInserted(used, repository, categories) : used,
    images: pins && includeReview ? imagesToPin(repository) : undefined,
  };
}

export function hardenText(pasted: Pasted, facts: Facts, env: Pick<Env, 'scm'>): HardenReply {
  const { filename, categories, includeReview } = pasted;
  const { repository, path } = parse(pasted, env);
  const deadline = performance.now() + FIX_MS;
  const mayGoOn = (): boolean => performance.now() < deadline;
  const result = hardenFile(repository, path, { facts, categories, includeReview, name: filename, mayGoOn });
  if (!mayGoOn()) throw new AppError('timed-out', 'The workflow takes too long to harden.');
  return toReply(result, (sentence) => (path === filename ? sentence : sentence.replaceAll(path, filename)));
}

function parse({ text, filename }: Pasted, env: Pick<Env, 'scm'>): { repository: Repository; path: string } {
  const path = pathOf(filename);
  return {
    path,
    repository: createRepository([{ path, text }], undefined, { partial: true, platform: platformOf(env) }),
  };
}

function pathOf(filename: string): string {
  if (fileKind(filename) === 'workflow') return filename;
  const name = filename.split('/').at(-1) ?? '';
  return `.github/workflows/${/\.ya?ml$/.test(name) ? name : DEFAULT_NAME}`;
}

function checkWorkflow({ files }: Repository, filename: string): void {
  const [file] = files;
  const definition = file?.definition as Workflow | undefined;
  const problem = file?.diagnostics.find(({ severity }) => severity === 'error');
  if (problem !== undefined) {
    const at = problem.span === undefined ? undefined : file?.source.position(problem.span.start);
    throw notAWorkflow(at === undefined ? problem.message : `Line ${at.line}, column ${at.column}: ${problem.message}`);
  }
  const keys = definition?.root.entries;
  const isAction = keys?.has('runs') === true && !keys.has('jobs');
  if (isAction || /(?:^|\/)action\.ya?ml$/.test(filename)) {
    throw notAWorkflow('Line 1, column 1: This is the definition of an action, not a workflow.');
  }
  const missing = ['on', 'jobs'].find((key) => keys?.has(key) !== true);
  if (missing !== undefined) throw notAWorkflow(`Line 1, column 1: A workflow has the key "${missing}".`);
}

function notAWorkflow(message: string): AppError {
  return new AppError('not-a-workflow', message.slice(0, 300), {
    errors: [{ path: 'workflow', message: message.slice(0, 300) }],
  });
}

/** Copies field by field, so that nothing else leaks. `named` gives the file the name that it was sent with. */
function toReply(
  { before, after, diff, hunks, applied, refused, remaining }: HardenedFile,
  named: (sentence: string) => string,
): HardenReply {
  const { HIGH, MEDIUM, LOW, INFO } = countBySeverity(remaining);
  return {
    hardened: after,
    diff,
    changed: after !== before,
    categories: CATEGORIES.map((category) => {
      const fixes = applied.filter((fix) => fix.category === category);
      return {
        category,
        title: CATEGORY_TITLES[category],
        applied: fixes.length > 0,
        fixes: fixes.map((fix) => ({ rule_id: fix.ruleId, line: fix.line, description: named(describeFix(fix)) })),
        hunks: hunks.filter((hunk) => hunk.category === category).map(toReplyHunk),
      };
    }),
    unattributed_hunks: hunks.filter((hunk) => hunk.category === undefined).map(toReplyHunk),
    refused: refused.map(({ ruleId, line, reason }) => ({ rule_id: ruleId, line, reason: named(reason) })),
    remaining: { HIGH, MEDIUM, LOW, INFO },
  };
}

function toReplyHunk({ oldStart, oldLines, newStart, newLines }: Hunk): ReplyHunk {
  return { old_start: oldStart, old_lines: oldLines, new_start: newStart, new_lines: newLines };
}
