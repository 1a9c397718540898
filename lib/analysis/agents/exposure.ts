import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { tokenPermissions } from '../privileges/permissions.ts';
import { type Approval, approvalBefore } from '../reachability/approvals.ts';
import {
  type OutsiderEvent,
  privilegedOutsiderEvents,
  workflowOutsiderEvents,
} from '../reachability/outsider-reach.ts';
import type { Agent } from './catalog.ts';

const MEMBER_TYPES: ReadonlySet<string> = new Set([
  'answered',
  'assigned',
  'labeled',
  'locked',
  'milestoned',
  'pinned',
  'transferred',
  'unassigned',
  'unlabeled',
  'unlocked',
]);

export interface AgentExposure {
  readonly events: readonly OutsiderEvent[];
  readonly byOutsider: boolean;
}

export function exposureOf(agent: Agent, repository: Repository): AgentExposure | undefined {
  const job = jobOf(agent.step);
  if (job === undefined) return undefined;
  const reached = privilegedOutsiderEvents(agent.step, repository).filter(({ event }) => !IRRELEVANT.has(event));
  const free = reached.filter(({ trigger }) => !trigger.types?.every((type) => MEMBER_TYPES.has(type)));
  const open = free.filter((event) => !CHECKED.has(approvalBefore(agent.step, event, repository)));
  if (open.length > 0 && agent.access === 'anyone' && !comparesLabel(agent.step)) {
    return { events: open, byOutsider: true };
  }
  const all = reached.length > 0 ? reached : memberStarted(job, agent.step, repository);
  return all.length > 0 ? { events: all, byOutsider: false } : undefined;
}

function memberStarted(job: Job, step: Step, repository: Repository): OutsiderEvent[] {
  const condition = `${job.condition?.value ?? ''} ${step.condition?.value ?? ''}`;
  if (!/author_association|github\.actor|triggering_actor|\.login\b/.test(condition)) return [];
  return workflowOutsiderEvents(job.workflow, repository).filter(
    ({ event, reach }) =>
      reach === 'outsider-privileged' &&
      !IRRELEVANT.has(event) &&
      (!condition.includes('event_name') || condition.includes(`'${event}'`)),
  );
}

const CHECKED: ReadonlySet<Approval | undefined> = new Set(['permission', 'elsewhere']);

const MODEL_KEY = /anthropic|openai|claude|codex|gemini|google_api|copilot|openrouter|llm|model|_ai_|^ai_|cursor/;
const OPENS_MORE_THAN_MODEL =
  /(?:^|_)(?:pat|gh|github|gitlab|bot|app|deploy|npm|aws|ssh|cloudflare)(?:_|$)|private_key|client_secret|service_account/;
const MODEL_SCOPES: ReadonlySet<string> = new Set(['copilot-requests', 'models']);

export function holdsMoreThanModelKeys(agent: Agent): boolean {
  const { secrets, scopes } = holdingsOf(agent);
  return secrets.length > 0 || scopes.size > 0;
}

export interface Holdings {
  readonly secrets: readonly string[];
  /** Scopes with write access: `*` for all, `default` if no block declares any. */
  readonly scopes: ReadonlySet<string>;
}

export function holdingsOf({ step }: Agent): Holdings {
  const job = jobOf(step);
  if (job === undefined) return { secrets: [], scopes: new Set() };
  const secrets = credentialsOf(job).secrets.filter(
    (name) => !MODEL_KEY.test(name) || OPENS_MORE_THAN_MODEL.test(name),
  );
  const { declared } = tokenPermissions(job);
  if (declared === undefined) return { secrets, scopes: new Set(['default']) };
  if (declared.all === 'write-all') return { secrets, scopes: new Set(['*']) };
  const written = declared.scopes.filter(({ scope, level }) => level === 'write' && !MODEL_SCOPES.has(scope));
  return { secrets, scopes: new Set(written.map(({ scope }) => scope)) };
}

const IRRELEVANT: ReadonlySet<string> = new Set(['fork', 'watch', 'gollum']);

function comparesLabel(step: Step): boolean {
  const conditions = [step.condition?.value, jobOf(step)?.condition?.value];
  return conditions.some((text) => text !== undefined && /github\.event\.label\.name\s*==|labels\.\*\.name/.test(text));
}
