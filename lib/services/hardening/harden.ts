import { setTimeout as delay } from 'node:timers/promises';
import { imagesToPin } from '#lib/analysis/inventory/images.ts';
import { AppError } from '#lib/errors.ts';
import { type Facts, type NetworkFacts, NO_FACTS, type Source } from '#lib/facts/facts.ts';
import type { Hunk } from '#lib/hardener/changes.ts';
import { describeFix, type HardenedFile, hardenFile } from '#lib/hardener/harden.ts';
import { readDigests } from '#lib/hosts/registries/images/read-digests.ts';
import { CATEGORIES, CATEGORY_TITLES } from '#lib/scanner/engine/categories.ts';
import { type Counts, countBySeverity } from '#lib/scanner/engine/finding.ts';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { withBrought } from '#lib/scanner/remedies/inserted-actions.ts';
import { actionsUsedBy, type UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, fileKind } from '#lib/workflow/repository.ts';
import type { Services } from '../context.ts';
import { platformOf } from '../scans/platform.ts';

export interface HardenRequest {
  readonly workflow: string;
  readonly filename?: string | undefined;
  readonly categories?: readonly Category[] | undefined;
  readonly include_review?: boolean | undefined;
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

export const MAX_WORKFLOW_BYTES = 256 * 1024;
const DEFAULT_NAME = 'workflow.yml';
const MAX_REFERENCES = 50;
const LOOK_UP_MS = 10_000;
const IMAGES_MS = 6_000;
const FIX_MS = 10_000;

/**
 * Applies fixes to a pasted workflow, which is neither stored nor logged. Throws `validation-failed` (empty, too long),
 * `not-a-workflow` with the place, or `timed-out` for slow lookups.
 */
export async function hardenWorkflow(services: Services, request: HardenRequest): Promise<HardenReply> {
  const { workflow: text, filename = DEFAULT_NAME, categories = [], include_review: includeReview = false } = request;
  checkSize(text);
  const path = pathOf(filename);
  const repository = createRepository([{ path, text }], undefined, {
    partial: true,
    platform: platformOf(services.env),
  });
  checkWorkflow(repository, filename);
  const chosen = new Set(categories.length === 0 ? CATEGORIES : categories);
  const facts = await lookUp(services, repository, chosen, includeReview);
  const deadline = performance.now() + FIX_MS;
  const mayGoOn = (): boolean => performance.now() < deadline;
  const result = hardenFile(repository, path, { facts, categories: chosen, includeReview, name: filename, mayGoOn });
  if (!mayGoOn()) throw new AppError('timed-out', 'The workflow takes too long to harden.');
  return toReply(result);
}

function checkSize(text: string): void {
  const bytes = Buffer.byteLength(text);
  const empty = text.trim() === '';
  if (!empty && bytes <= MAX_WORKFLOW_BYTES) return;
  const message = empty
    ? 'There is no workflow in the request.'
    : `A workflow may have ${MAX_WORKFLOW_BYTES.toLocaleString('en')} bytes.`;
  throw new AppError('validation-failed', message, { errors: [{ path: 'workflow', message }] });
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

/** Unknown images stay unchanged with a reason, so that other fixes need not wait for registries. */
async function lookUp(
  services: Services,
  repository: Repository,
  chosen: ReadonlySet<Category>,
  includeReview: boolean,
): Promise<Facts> {
  const { imageRegistries } = services.env;
  const pins = chosen.has('CICD-SEC-3');
  const used = pins ? actionsUsedBy(repository) : [];
  const [network, images] = await Promise.all([
    lookUpActions(services, used, includeReview ? withBrought(used, repository, chosen) : used),
    pins && includeReview && imageRegistries !== null
      ? readDigests(imagesToPin(repository), { origin: imageRegistries.origin, timeLimitMs: IMAGES_MS })
      : undefined,
  ]);
  return { ...NO_FACTS, network, ...(images === undefined ? {} : { images: { value: images } }) };
}

/**
 * Looks up actions; without a token their versions stay. Fails only for actions in use: those that fixes would insert
 * are optional.
 */
async function lookUpActions(
  services: Services,
  used: readonly UsedAction[],
  asked: readonly UsedAction[],
): Promise<Source<NetworkFacts>> {
  if (asked.length === 0 || services.env.scmPublicToken === null) return NO_FACTS.network;
  const references = new Set(used.flatMap(({ slug, references: all }) => all.map(({ ref }) => `${slug}@${ref}`)));
  if (references.size > MAX_REFERENCES) {
    throw tooLate(`The workflow uses ${references.size} versions of actions; ${MAX_REFERENCES} can be looked up.`);
  }
  const options = { publicOnly: true, timeLimitMs: LOOK_UP_MS };
  const ended = new AbortController();
  const network = await Promise.race([
    services.publicCodeHost().readActions(asked, options),
    delay(LOOK_UP_MS, undefined, { signal: ended.signal }),
  ]).finally(() => ended.abort());
  if (used.length > 0 && (network === undefined || isUnreachable(network, used))) {
    throw tooLate('The code host did not tell the versions of the actions in time.');
  }
  return network ?? NO_FACTS.network;
}

/** True if a retry can help. An action that the code host lacks keeps its version. */
function isUnreachable(network: Source<NetworkFacts>, used: readonly UsedAction[]): boolean {
  const isUsed = (name: string): boolean => used.some(({ slug }) => name === slug || name.startsWith(`${slug}@`));
  const reasons =
    'missing' in network
      ? [network.missing]
      : (network.value.unread ?? []).flatMap(({ what, name, reason }) =>
          what === 'network' && isUsed(name) ? [reason] : [],
        );
  return reasons.some((reason) => reason === 'offline' || reason === 'rate_limited');
}

function tooLate(message: string): AppError {
  return new AppError('timed-out', `${message} Try again, or leave CICD-SEC-3 out of "categories".`);
}

/** Copies field by field, so that nothing else leaks. */
function toReply({ before, after, diff, hunks, applied, refused, remaining }: HardenedFile): HardenReply {
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
        fixes: fixes.map((fix) => ({ rule_id: fix.ruleId, line: fix.line, description: describeFix(fix) })),
        hunks: hunks.filter((hunk) => hunk.category === category).map(toReplyHunk),
      };
    }),
    unattributed_hunks: hunks.filter((hunk) => hunk.category === undefined).map(toReplyHunk),
    refused: refused.map(({ ruleId, line, reason }) => ({ rule_id: ruleId, line, reason })),
    remaining: { HIGH, MEDIUM, LOW, INFO },
  };
}

function toReplyHunk({ oldStart, oldLines, newStart, newLines }: Hunk): ReplyHunk {
  return { old_start: oldStart, old_lines: oldLines, new_start: newStart, new_lines: newLines };
}
