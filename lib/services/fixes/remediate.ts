import { setTimeout as delay } from 'node:timers/promises';
import * as fixes from '#lib/db/queries/fix-pull-requests.ts';
import { AppError, type ErrorCode } from '#lib/errors.ts';
import type {
  FixBranch,
  FixBranches,
  FixWriter,
  FixWritten,
  FoundPull,
  RepositoryHead,
  WriteBudget,
  WriteRefusal,
} from '#lib/hosts/code-host/port.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { requireApp, type Services } from '../context.ts';
import { decide, type Step } from './decide.ts';
import type { Proposal } from './proposals.ts';
import { type Proposed, propose } from './read.ts';
import type { FixPullRequest, Remediation, RemediationRequest, SkippedFile } from './remediation.ts';
import { branchOf, fixDigest, textsOf } from './texts.ts';
import { createWriteBudget } from './write-budget.ts';

/** The platform ends a function after sixty seconds. */
const TIME_MS = 45_000;
const MAX_ROUNDS = 4;
const PAUSE_MS = 300;

const REPORTED_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'scm-unreachable',
  'not-found',
  'not-configured',
  'forbidden',
  'timed-out',
]);
const KEPT_CHANGING = 'The repository kept changing. Try again later.';

const REFUSALS: Readonly<Record<Exclude<WriteRefusal, 'stale' | 'lost'>, string>> = {
  forbidden: 'The code host did not let the app write: a permission is missing.',
  protected: 'A ruleset or branch protection of the repository does not let the app write to the branch of the fix.',
  invalid: 'The code host did not accept the fix.',
};

/**
 * Fixes a repository's files at the head of its default branch: one commit and one pull request for each file. Safe to
 * repeat after a crash anywhere, and to run twice at once: a pull request is looked for before each write. Refusals of
 * the code host end up in the result; other failures are thrown.
 */
export async function remediateRepository(
  services: Services,
  request: RemediationRequest,
  budget: WriteBudget = createWriteBudget(services),
): Promise<Remediation> {
  return new RemediationRun(services, request, budget).run();
}

class RemediationRun {
  readonly #services: Services;
  readonly #request: RemediationRequest;
  readonly #budget: WriteBudget;
  readonly #app: string;
  readonly #deadline = Date.now() + TIME_MS;
  readonly #pulls = new Map<string, FixPullRequest>();
  readonly #skipped = new Map<string, SkippedFile>();
  readonly #tried = new Set<string>();
  readonly #toLabel = new Map<string, string>();
  #error: string | null = null;

  constructor(services: Services, request: RemediationRequest, budget: WriteBudget) {
    this.#services = services;
    this.#request = request;
    this.#budget = budget;
    this.#app = requireApp(services.env).slug;
  }

  async run(): Promise<Remediation> {
    try {
      await this.#fixAll();
    } catch (error) {
      if (!(error instanceof AppError) || !REPORTED_FAILURES.has(error.code)) throw error;
      this.#error ??= error.message;
    }
    const pulls = [...this.#pulls.values()].sort(byFile);
    return {
      status: this.#error !== null && pulls.length === 0 ? 'failed' : 'succeeded',
      prs_opened: pulls.length,
      error: this.#error,
      pull_requests: pulls,
      skipped: [...this.#skipped.values()].sort(byFile),
    };
  }

  async #fixAll(): Promise<void> {
    let proposed: Proposed | undefined;
    let found: FixBranches | undefined;
    for (let round = 1; round <= MAX_ROUNDS && Date.now() < this.#deadline; round += 1) {
      if (round > 1) await delay(PAUSE_MS);
      proposed ??= await this.#propose();
      const writer = this.#writer(proposed);
      for (const proposal of this.#open(proposed)) await this.#assertWritable(proposal, writer);
      const open = this.#open(proposed);
      if (open.length === 0) break;
      const { defaultBranch, tree } = proposed.head;
      const places = open.map(({ file }) => ({ file, branch: branchOf(file) }));
      found = await writer.readBranches(places, { base: defaultBranch ?? '', tree });
      if (!found.isUnchanged || found.head.defaultBranch !== defaultBranch) {
        proposed = undefined;
        continue;
      }
      for (const [index, proposal] of open.entries()) {
        const branch = found.branches[index];
        if (branch !== undefined) await this.#fix({ proposal, branch, found, writer });
      }
    }
    if (proposed === undefined) this.#error ??= KEPT_CHANGING;
    else {
      for (const { file } of this.#open(proposed)) this.#fail(file, KEPT_CHANGING);
      if (found !== undefined) await this.#label(found.labelIds, this.#writer(proposed));
    }
  }

  async #propose(): Promise<Proposed> {
    const { target, ruleset } = this.#request;
    const proposed = await propose(this.#services, target, {
      ruleset,
      disabledRules: target.disabled_rules,
      includeReview: false,
      triaged: await this.#triaged(),
    });
    const refusal = whyUnwritable(proposed.head);
    if (refusal !== undefined) throw new AppError('forbidden', refusal);
    this.#skipped.clear();
    for (const { file, reason } of proposed.skipped) this.#skip(file, reason);
    return proposed;
  }

  async #triaged(): Promise<readonly string[]> {
    const { repo_id: repoId, triaged } = this.#request.target;
    return triaged ?? fixes.listTriaged(this.#services.adminDb(), repoId);
  }

  #open({ files }: Proposed): Proposal[] {
    return files.filter(
      ({ file, before, after }) => before !== after && !this.#pulls.has(file) && !this.#skipped.has(file),
    );
  }

  #writer({ head }: Proposed): FixWriter {
    const { installation_id: installation, scm_id: scmId } = this.#request.target;
    const options = { budget: this.#budget, deadline: this.#deadline };
    return this.#services.codeHostApp().fixWriter(installation, { scmId, fullName: head.fullName }, options);
  }

  async #assertWritable({ file }: Proposal, writer: FixWriter): Promise<void> {
    const missing = await writer.missingPermissions([file]);
    if (missing.length === 0) return;
    this.#fail(file, `The installation lacks ${joinList(missing.map((permission) => `"${permission}: write"`))}.`);
  }

  async #fix(at: Place): Promise<void> {
    const { proposal, branch, found } = at;
    const { file } = proposal;
    const step = decide(branch, {
      appLogin: this.#app,
      defaultBranch: found.head.defaultBranch ?? '',
      text: proposal.after,
      digest: fixDigest(proposal),
      reopenDeclined: this.#request.reopenDeclined ?? false,
    });
    if (step.kind === 'skip') return this.#skip(file, step.reason);
    if (step.kind === 'reuse') return this.#record(at, step.pull, !this.#tried.has(file));
    this.#tried.add(file);
    const { pull, refused } = await this.#write(step, at);
    if (refused === undefined && pull !== undefined) return this.#record(at, pull, step.kind === 'replace');
    if (refused === undefined || refused === 'stale' || refused === 'lost') return;
    this.#fail(file, REFUSALS[refused]);
  }

  async #write(step: Extract<Step, { kind: 'create' | 'open' | 'replace' }>, at: Place): Promise<FixWritten> {
    const { proposal, branch, found, writer } = at;
    const { file, after: text } = proposal;
    const { repositoryId, head } = found;
    const { fullName, htmlUrl } = head;
    const base = head.commit ?? '';
    const texts = textsOf(proposal, { webUrl: this.#services.env.webUrl, htmlUrl, commit: base });
    const { headline, commitBody: body, pullBody } = texts;
    const described = { title: headline, body: pullBody };
    const pull = { ...described, file, repositoryId, branch: branch.branch, base: head.defaultBranch ?? '' };
    const commit = { repositoryId, fullName, base, file, text, headline, body };
    if (step.kind === 'open') return writer.open(pull);
    if (step.kind === 'create')
      return writer.commit({ ...commit, branch: branch.branch, expectedHead: step.from }, pull);
    const { preparedBranch } = branch;
    const prepared = await writer.commit({ ...commit, branch: preparedBranch, expectedHead: step.prepared });
    if (prepared.refused !== undefined || prepared.commit === undefined) return prepared;
    const replaced = await writer.replace({
      file,
      repositoryId,
      branch: branch.branch,
      from: step.from,
      to: prepared.commit,
      preparedBranch,
      pullId: step.pull.id,
      text: described,
    });
    return { ...replaced, pull: step.pull };
  }

  async #record({ proposal, branch }: Place, pull: Opened, reused: boolean): Promise<void> {
    const { file, rule_ids, fingerprints } = proposal;
    const { id, number, url, openedAt } = pull;
    const opened_at = new Date(openedAt).toISOString();
    const pullRequest: FixPullRequest = {
      file,
      number,
      url,
      state: 'open',
      reused,
      branch: branch.branch,
      rule_ids,
      fingerprints,
      opened_at,
    };
    if (!reused) this.#toLabel.set(file, id);
    await this.#request.record(pullRequest);
    this.#pulls.set(file, pullRequest);
  }

  async #label(labels: readonly string[], writer: FixWriter): Promise<void> {
    if (this.#toLabel.size === 0 || labels.length === 0) return;
    try {
      await writer.label({ pullIds: [...this.#toLabel.values()], labels, files: [...this.#toLabel.keys()] });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#services.log.warn('fix pull requests were not labelled', { error });
    }
  }

  #skip(file: string, reason: string): void {
    this.#skipped.set(file, { file, reason });
  }

  #fail(file: string, reason: string): void {
    this.#skip(file, reason);
    this.#error ??= reason;
  }
}

interface Place {
  readonly proposal: Proposal;
  readonly branch: FixBranch;
  readonly found: FixBranches;
  readonly writer: FixWriter;
}

type Opened = Pick<FoundPull, 'id' | 'number' | 'url' | 'openedAt'>;

function whyUnwritable({ archived, disabled, fork }: RepositoryHead): string | undefined {
  if (archived) return 'The repository is archived, so nothing can be changed there.';
  if (disabled) return 'The code host has disabled the repository.';
  return fork ? 'The repository is a fork: fix the repository that it was forked from.' : undefined;
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return compareText(a.file, b.file);
}
