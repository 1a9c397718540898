import type { Trigger } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { reachOf } from '../reachability/events.ts';
import type { RefSource } from './ref-provenance.ts';

export type RefKind = 'sha' | 'branch' | 'merge';

/**
 * `moves` is false only for a commit that the event itself contains. `needsFork` is set for a branch of the fork:
 * without the fork its name is empty, and the repository’s own branch is taken.
 */
export interface PullRequestCode {
  readonly ref: RefKind;
  readonly moves: boolean;
  readonly source: string;
  readonly unsure?: true;
  readonly needsFork?: true;
}

export function mostMovable(codes: readonly PullRequestCode[]): PullRequestCode | undefined {
  const sure = codes.filter(({ unsure }) => unsure !== true);
  const found = sure.length > 0 ? sure : codes;
  return found.find(({ moves }) => moves) ?? found[0];
}

export type PullRequestName = RefKind | 'repository' | 'number' | 'text';

export class PullRequestNames {
  readonly repository: Repository;
  readonly #event: string;
  readonly #ofFork: boolean;
  readonly #issuesOnly: boolean;

  constructor(event: string, trigger: Trigger, repository: Repository, issuesOnly = false) {
    this.repository = repository;
    this.#event = event;
    this.#ofFork = event !== 'workflow_run' || followsForkCode(trigger, repository);
    this.#issuesOnly = issuesOnly;
  }

  of(origin: RefSource): PullRequestName | undefined {
    if (origin.lookup !== undefined) return origin.lookup;
    if (origin.path.startsWith('inputs.')) {
      // An input named like a commit holds the one that the person starting the run has reviewed.
      if (/sha|commit/i.test(origin.path)) return 'sha';
      return /pull\/|\bpr\b|pull|number/i.test(`${origin.path} ${origin.within}`) ? 'number' : undefined;
    }
    const path = origin.path.replace(/^github\.(?:event\.)?/, '');
    switch (this.#event) {
      case 'pull_request_target':
        return PULL_REQUEST_NAMES.find(([pattern]) => pattern.test(path))?.[1];
      case 'workflow_run':
        return this.#ofFork ? WORKFLOW_RUN_NAMES.find(([pattern]) => pattern.test(path))?.[1] : undefined;
      case 'issue_comment':
      case 'issues':
      case 'discussion':
      case 'discussion_comment':
        if (this.#issuesOnly && path.startsWith('issue.') && !/\.(?:title|body)$/.test(path)) return undefined;
        return CONVERSATION_NAMES.find(([pattern]) => pattern.test(path))?.[1];
      case 'repository_dispatch':
        return COMMAND_NAMES.find(([pattern]) => pattern.test(path))?.[1];
      default:
        return undefined;
    }
  }

  choosesRepository(origin: RefSource, text: string): boolean {
    const name = this.of(origin);
    return name === 'repository' || (name === 'text' && !FIXED_OWNER.test(text));
  }

  commitAmong(origins: readonly RefSource[]): PullRequestCode | undefined {
    for (const origin of origins) {
      const name = this.of(origin);
      if (name !== 'sha' && name !== 'merge' && name !== 'text') continue;
      return {
        ref: name === 'text' ? 'branch' : name,
        moves: origin.lookup !== undefined && origin.fixed !== true,
        source: origin.path,
        ...(origin.unsure === true ? { unsure: true } : {}),
      };
    }
    return undefined;
  }
}

const FIXED_OWNER =
  /^\s*(?:(?:https:\/\/|git@|ssh:\/\/)[^/\s]{0,200}[/:])?(?:[\w.-]+|\$\{?GITHUB_REPOSITORY_OWNER\}?|\$\{\{\s*github\.repository_owner\s*\}\})\//;

const PULL_REQUEST_NAMES: readonly (readonly [RegExp, PullRequestName])[] = [
  [/^pull_request\.head\.sha$/, 'sha'],
  [/^(?:head_ref|pull_request\.head\.(?:ref|label))$/, 'branch'],
  [/^pull_request\.merge_commit_sha$/, 'merge'],
  [/^(?:number|pull_request\.(?:number|url|html_url))$/, 'number'],
  [
    /^pull_request\.head\.(?:repo\.(?:full_name|name|clone_url|git_url|ssh_url|html_url|url|owner\.login)|user\.login)$/,
    'repository',
  ],
  [/^pull_request\.(?:title|body)$/, 'text'],
];

const WORKFLOW_RUN_NAMES: readonly (readonly [RegExp, PullRequestName])[] = [
  [/^workflow_run\.(?:head_sha|head_commit\.id)$/, 'sha'],
  [/^workflow_run\.head_branch$/, 'branch'],
  [/^workflow_run\.head_repository\.(?:full_name|name|html_url|url|owner\.login)$/, 'repository'],
];

const CONVERSATION_NAMES: readonly (readonly [RegExp, PullRequestName])[] = [
  [/^issue\.(?:number|html_url|pull_request\.(?:url|html_url))$/, 'number'],
  [/^(?:comment|issue|discussion)\.(?:body|title)$/, 'text'],
];

const COMMAND_NAMES: readonly (readonly [RegExp, PullRequestName])[] = [
  [/^client_payload\.pull_request\.head\.sha$/, 'sha'],
  [/^client_payload\.pull_request\.head\.ref$/, 'branch'],
  [/^client_payload\.pull_request\.merge_commit_sha$/, 'merge'],
  [/^client_payload\.(?:pull_request|github\.payload\.issue)\.number$/, 'number'],
  [/^client_payload\.pull_request\.head\.repo\.(?:full_name|clone_url)$/, 'repository'],
];

/** True if `workflow_run.head_sha` can be a fork's commit; after `pull_request_target` it is the default branch's. */
function followsForkCode(trigger: Trigger, repository: Repository): boolean {
  return (trigger.workflows ?? []).some((name) => {
    const source = repository.workflowNamed(name);
    return source === undefined || source.triggers.some(({ event }) => reachOf(event) === 'outsider-unprivileged');
  });
}

export function nameOf(text: string): string {
  const line = text
    .replace(/\$\{\{\s*/g, '<')
    .replace(/(?<!\s)\s*\}\}/g, '>')
    .replace(/\s+/g, ' ')
    .trim();
  const bare = /^<[^<>]*>$/.test(line) ? line.slice(1, -1) : line;
  return bare.length > 80 ? `${bare.slice(0, 79)}…` : bare;
}
