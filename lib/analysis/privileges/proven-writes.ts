import { WRITING_ACTIONS } from '#lib/data/curated/writing-actions.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { memoByNode, memoByRepository } from '../memo.ts';
import { ghNeeds } from './documented-permissions.ts';
import { tokenPermissions } from './permissions.ts';
import { storedCredentialOf } from './stored-credential.ts';

/**
 * Returns the scopes that the job's token must be able to write, or a step of the job would fail: it pushes with the
 * stored token, or hands the token to something that writes.
 */
export const provenWrites = memoByNode((job: Job): readonly string[] => {
  const scopes = new Set<string>();
  for (const step of job.steps) {
    if (!mustSucceed(step)) continue;
    for (const scope of [...byCommands(step, job), ...byAction(step, job)]) scopes.add(scope);
  }
  return [...scopes];
});

/** True if a job of the repository without `permissions` must be able to push, so that the default token can. */
export const defaultTokenPushes = memoByRepository(({ workflows }): boolean =>
  workflows.some(({ jobs }) =>
    jobs.some((job) => tokenPermissions(job).declared === undefined && provenWrites(job).includes('contents')),
  ),
);

function mustSucceed({ mapping, condition }: Step): boolean {
  return (
    !mapping.entries.has('continue-on-error') &&
    !/\b(?:failure|cancelled)\s*\(|^\s*false\s*$/.test(condition?.value ?? '')
  );
}

function byCommands(step: Step, job: Job): string[] {
  if (!/\bgit\b|\bgh\b/.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command): readonly string[] => {
    if (command.program === 'git') return pushes(command) && pushesAsJob(command, step, job) ? ['contents'] : [];
    if (command.program !== 'gh' || !hasJobToken(step)) return [];
    const [group, verb] = command.args.map(({ value }) => value);
    if (/\|\|/.test(lineOf(command, step))) return [];
    if (group === 'release' && !/^(?:view|list|download|verify)/.test(verb ?? '')) return ['contents'];
    return ghNeeds(command)?.writes ?? [];
  });
}

function pushes({ args }: ShellCommand): boolean {
  const words = args.map(({ value }) => value);
  const verb = words.find((word, index) => !word.startsWith('-') && !/^-[cC]$/.test(words[index - 1] ?? ''));
  return verb === 'push' && !words.includes('--dry-run') && !words.includes('-n');
}

const OTHER_REMOTE = /https?:|git@|ssh:|\bsecrets\.|\.git\b/;

function pushesAsJob(command: ShellCommand, step: Step, job: Job): boolean {
  const script = step.run?.value ?? '';
  if (OTHER_REMOTE.test(command.text) || /\|\|/.test(lineOf(command, step))) return false;
  if (/remote (?:add|set-url)|insteadOf|credential\.helper|ssh-add|GIT_SSH|extraheader/.test(script)) return false;
  return hasStoredToken(step, job);
}

function hasStoredToken(step: Step, job: Job): boolean {
  const before = job.steps.slice(0, step.index);
  const stored = before.flatMap((each) => {
    const credential = storedCredentialOf(each);
    return credential === undefined || isFalse(inputOf(each, 'persist-credentials')) ? [] : [credential];
  });
  const own = ({ secret, step: from }: (typeof stored)[0]): boolean =>
    secret === undefined && inputOf(from, 'repository') === undefined;
  return stored.length > 0 && stored.every(own) && !before.some(changesRemote);
}

function changesRemote({ run, uses }: Step): boolean {
  return (
    /remote (?:add|set-url)|insteadOf|ssh-add|gh auth setup-git/.test(run?.value ?? '') ||
    /ssh/i.test(uses?.text.value ?? '')
  );
}

function lineOf({ span }: ShellCommand, step: Step): string {
  const text = step.parent.kind === 'job' ? step.parent.workflow.source.text : '';
  const end = text.indexOf('\n', span.end);
  return text.slice(span.start, end === -1 ? undefined : end);
}

const TOKEN_VARIABLES = ['GH_TOKEN', 'GITHUB_TOKEN'];

function hasJobToken(step: Step): boolean {
  const job = jobOf(step);
  const scopes = [step.env, job?.env, job?.workflow.env];
  for (const name of TOKEN_VARIABLES) {
    const value = scopes.map((variables) => variables?.get(name)?.value.value).find((text) => text !== undefined);
    if (value !== undefined) return isJobToken(value);
  }
  return false;
}

function isJobToken(text: string): boolean {
  return /^\$\{\{\s*(?:github\.token|secrets\.github_token)\s*\}\}$/i.test(text.trim());
}

const TOKEN_INPUT = /^(?:github[-_]?token|gh[-_]?token|token|repo[-_]?token|personal_token|deploy_key|ssh-key)$/i;

function byAction(step: Step, job: Job): readonly string[] {
  const known = WRITING_ACTIONS[actionOf(step)?.slug ?? ''];
  if (known === undefined) return [];
  const given = step.with?.entries.filter(({ name }) => TOKEN_INPUT.test(name)) ?? [];
  if (given.some(({ value }) => !isJobToken(value.value))) return [];
  const named = step.env?.entries.filter(({ name }) => TOKEN_VARIABLES.includes(name)) ?? [];
  if (named.some(({ value }) => !isJobToken(value.value))) return [];
  return known.stored === true && !hasStoredToken(step, job) ? [] : known.scopes;
}
