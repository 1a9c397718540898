import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';

export interface FixTarget {
  readonly repo_id: string;
  readonly installation_id: string;
  readonly scm_id: string;
  readonly full_name: string;
  readonly disabled_rules: readonly string[];
  /** Fingerprints whose fixes are left out; without them, those that somebody triaged in the database. */
  readonly triaged?: readonly string[];
}

export interface FixPullRequest {
  readonly file: string;
  readonly number: number;
  readonly url: string;
  readonly state: 'open';
  readonly reused: boolean;
  readonly branch: string;
  readonly rule_ids: readonly string[];
  readonly fingerprints: readonly string[];
  readonly opened_at: string;
}

export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

export interface Remediation {
  /** `failed` if something went wrong and no pull request is open. With `error` set, `succeeded` is a partial success. */
  readonly status: 'succeeded' | 'failed';
  readonly prs_opened: number;
  readonly error: string | null;
  readonly pull_requests: readonly FixPullRequest[];
  readonly skipped: readonly SkippedFile[];
}

export interface RemediationRequest {
  readonly target: FixTarget;
  readonly ruleset: Ruleset;
  readonly reopenDeclined?: boolean;
  /**
   * Stores one pull request; called for each as soon as it is open or found open, also a second time after a crash.
   * If it throws, so does the remediation.
   */
  readonly record: (pullRequest: FixPullRequest) => Promise<void>;
}
