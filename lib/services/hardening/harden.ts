import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#lib/errors.ts';
import { type Facts, type NetworkFacts, NO_FACTS, type Source } from '#lib/facts/facts.ts';
import { readDigests } from '#lib/hosts/registries/images/read-digests.ts';
import { CATEGORIES } from '#lib/scanner/engine/categories.ts';
import type { Category } from '#lib/scanner/engine/rule.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import type { HardenReply, WorkflowNeeds } from './workflow.ts';

export interface HardenRequest {
  readonly workflow: string;
  readonly filename?: string | undefined;
  readonly categories?: readonly Category[] | undefined;
  readonly include_review?: boolean | undefined;
}

export const MAX_WORKFLOW_BYTES = 256 * 1024;
const DEFAULT_NAME = 'workflow.yml';
const MAX_REFERENCES = 50;
const LOOK_UP_MS = 10_000;
const IMAGES_MS = 6_000;

/**
 * Applies fixes to a pasted workflow, which is neither stored nor logged. Throws `validation-failed` (empty, too long),
 * `not-a-workflow` with the place, or `timed-out` for slow lookups and fixes.
 */
export async function hardenWorkflow(services: Services, request: HardenRequest): Promise<HardenReply> {
  const { workflow: text, filename = DEFAULT_NAME, categories = [], include_review: includeReview = false } = request;
  checkSize(text);
  const { scm } = services.env;
  const chosen = new Set(categories.length === 0 ? CATEGORIES : categories);
  const pasted = { text, filename, categories: chosen, includeReview };
  const needs = await isolated(services, 'public', 'readWorkflow', pasted, { scm });
  const facts = await lookUp(services, needs);
  return isolated(services, 'public', 'hardenText', pasted, facts, { scm });
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

async function lookUp(services: Services, { used, asked, images: wanted }: WorkflowNeeds): Promise<Facts> {
  const { imageRegistries } = services.env;
  const [network, images] = await Promise.all([
    lookUpActions(services, used, asked),
    wanted !== undefined && imageRegistries !== null
      ? readDigests(wanted, { origin: imageRegistries.origin, timeLimitMs: IMAGES_MS })
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
