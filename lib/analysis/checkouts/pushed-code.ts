import { inputOf, usedSteps } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { RepositoryMemo } from '../memo.ts';
import { isOfRepository, type Remote, remoteAt } from '../privileges/remotes.ts';
import { storedCredentialOf } from '../privileges/stored-credential.ts';
import { withInnerSteps } from '../reachability/composites.ts';
import { mayRun, type OutsiderEvent, privilegedOutsiderEvents, scenariosOf } from '../reachability/outsider-reach.ts';
import { isBehindRefusedCheckout } from '../reachability/refused-checkouts.ts';
import { type Checkout, checkoutsIn, isGuarded } from './checkouts.ts';
import { CREATES_REFS, createdRefs } from './created-refs.ts';
import { namedCommits, positional, refspecOf } from './git-checkouts.ts';
import { type PullRequestCode, PullRequestNames } from './pull-request-refs.ts';
import { RefTracer } from './ref-provenance.ts';

/**
 * `branch` is undefined for the branch that was checked out, `credential` for the job's own token. `chosen` if the pull
 * request's author names the branch, which can be the default branch.
 */
export interface PushedCode {
  readonly step: Step;
  readonly span: Span;
  readonly code: PullRequestCode;
  readonly event: OutsiderEvent;
  readonly branch: string | undefined;
  readonly chosen: boolean;
  readonly credential: string | undefined;
}

const pushesByJob = new RepositoryMemo<Job, Job, readonly PushedCode[]>();

export function pushedCode(job: Job, repository: Repository): readonly PushedCode[] {
  return pushesByJob.get(repository, job, job, () => {
    if (!withInnerSteps(job.steps, repository).some(({ step }) => mayPush(step))) return [];
    const found = privilegedOutsiderEvents(job, repository).flatMap((event) => pushesUnder(event, job, repository));
    return [...new Map(found.reverse().map((push) => [push.span.start, push])).values()];
  });
}

const PUSHES = /\bgit\b[^\n]{0,300}\bpush\b/;

function mayPush(step: Step): boolean {
  const text = step.run?.value ?? inputOf(step, 'script')?.value ?? '';
  return CREATES_REFS.test(text) || (step.run !== undefined && PUSHES.test(text));
}

function pushesUnder(event: OutsiderEvent, job: Job, repository: Repository): PushedCode[] {
  const checkouts = checkoutsIn(job, event, repository);
  const names = new PullRequestNames(event.event, event.trigger, repository);
  const tracer = new RefTracer(repository, event.event);
  const named = namedCommits(job.steps, tracer, names).pushed;
  const known: Known = { checkouts: groupBy(checkouts), named, names, tracer, repository };
  const read = new Map<string, readonly Push[]>();
  for (const scenario of scenariosOf(event)) {
    // Conditions on a bot are a weakness of their own.
    const other = { ...scenario, identity: 'other' as const };
    const steps = job.steps.filter(
      (step) => mayRun(step, other) && !isBehindRefusedCheckout(step, scenario, repository),
    );
    const key = steps.map(({ index }) => index).join(' ');
    if (!read.has(key)) read.set(key, new PushReader(known).read(steps));
  }
  return [...read.values()].flat().map((push) => ({ ...push, event }));
}

function groupBy(checkouts: readonly Checkout[]): Map<Step, Map<number, Checkout>> {
  const groups = new Map<Step, Map<number, Checkout>>();
  for (const checkout of checkouts) {
    const group = groups.get(checkout.step) ?? new Map<number, Checkout>();
    groups.set(checkout.step, group.set(checkout.span.start, checkout));
  }
  return groups;
}

interface Known {
  readonly checkouts: ReadonlyMap<Step, ReadonlyMap<number, Checkout>>;
  readonly named: ReadonlyMap<ShellWord, PullRequestCode>;
  readonly names: PullRequestNames;
  readonly tracer: RefTracer;
  readonly repository: Repository;
}

interface Copy {
  readonly code: PullRequestCode | undefined;
  readonly branch: string;
  /** Set if the code was added to an existing branch, which `git push` alone then pushes. */
  readonly joined: boolean;
  readonly origin: Remote;
}

type Push = Omit<PushedCode, 'event'>;

const MAX_COMMANDS = 2_000;

class PushReader {
  readonly #known: Known;
  readonly #copies = new Map<string, Copy>();
  readonly #remotes = new Map<string, Remote>();
  readonly #branches = new Map<string, PullRequestCode | undefined>();
  readonly #found: Push[] = [];

  constructor(known: Known) {
    this.#known = known;
  }

  read(steps: readonly Step[]): readonly Push[] {
    const { checkouts, tracer, names, repository } = this.#known;
    for (const step of steps) {
      const own = checkouts.get(step);
      if (step.uses !== undefined) {
        this.#readUses(step, [...(own?.values() ?? [])]);
        this.#readInside(step);
      }
      for (const ref of createdRefs(step, tracer, names, repository)) this.#found.push({ ...ref, chosen: false });
      if (!/\b(?:git|gh|hub)\b/.test(step.run?.value ?? '')) continue;
      for (const { command, folder } of placedCommands(step).slice(0, MAX_COMMANDS)) {
        const checkout = own?.get(command.span.start);
        if (command.program === 'git') this.#git(command, step, folder, checkout);
        else if (checkout !== undefined) this.#change(folder, { code: codeOf(checkout), branch: branchIn(command) });
      }
    }
    return this.#found;
  }

  #readUses(step: Step, checkouts: readonly Checkout[]): void {
    for (const checkout of checkouts) {
      if (checkout.folder === undefined) continue;
      const at = checkout.inner?.steps[0] ?? step;
      const from = inputOf(at, 'repository');
      const elsewhere = from !== undefined && !isOfRepository(from.value, at, this.#known.repository);
      const origin = { own: !elsewhere, credential: storedCredentialOf(at)?.secret };
      this.#copies.set(checkout.folder, { code: codeOf(checkout), branch: '', joined: false, origin });
    }
  }

  #readInside(step: Step): void {
    const from = this.#found.length;
    for (const inner of usedSteps(step, this.#known.repository)) {
      if (!/\bgit\b/.test(inner.run?.value ?? '')) continue;
      for (const { command, folder } of placedCommands(inner).slice(0, MAX_COMMANDS)) {
        if (command.program === 'git') this.#git(command, inner, folder, undefined);
      }
    }
    const span = step.uses?.text.span;
    if (span === undefined) return;
    for (let at = from; at < this.#found.length; at += 1) {
      this.#found[at] = { ...(this.#found[at] as Push), step, span };
    }
  }

  #copyAt(folder: Folder): Copy {
    return this.#copies.get(folder ?? '') ?? UNKNOWN;
  }

  #change(folder: Folder, change: Partial<Copy>): void {
    if (folder !== undefined) this.#copies.set(folder, { ...this.#copyAt(folder), ...change });
  }

  #git(command: ShellCommand, step: Step, folder: Folder, checkout: Checkout | undefined): void {
    const { args } = command;
    const at = args[0]?.value === '-C' ? folderAt(folder, args[1]?.value ?? '') : folder;
    const index = args.findIndex(({ value }, each) => !value.startsWith('-') && !takesValue(args[each - 1]));
    const verb = args[index]?.value ?? '';
    const rest = args.slice(index + 1);
    const words = positional(rest).map(({ value }) => value);
    switch (verb) {
      case 'push':
        this.#push(command, rest, step, at);
        return;
      case 'clone': {
        const [url, target] = positional(rest);
        if (url === undefined || target === undefined) return;
        const origin = remoteAt(url, step, this.#known.repository);
        this.#change(folderAt(at, target.value), { ...UNKNOWN, code: checkout && codeOf(checkout), origin });
        return;
      }
      case 'remote':
        this.#remote(rest, step, at);
        return;
      case 'checkout':
      case 'switch':
        this.#switch(rest, at, checkout);
        return;
      case 'branch':
        if (words[0] !== undefined && words.length === 1) this.#branches.set(words[0], this.#copyAt(at).code);
        return;
      case 'reset':
        if (checkout === undefined && words.some((word) => !/^(?:HEAD|@)/.test(word))) {
          this.#change(at, { code: undefined });
          return;
        }
    }
    if (checkout !== undefined && checkout.folder === at) this.#change(at, { code: codeOf(checkout), joined: true });
  }

  #switch(args: readonly ShellWord[], at: Folder, checkout: Checkout | undefined): void {
    if (checkout !== undefined && checkout.folder !== at) return;
    const [name = '', start] = positional(args).map(({ value }) => value);
    const creates = args.some(({ value }) => /^-(?:b|B|c|C)$|^--create$/.test(value));
    if (checkout !== undefined) {
      const limited = args.some(({ value }) => value === '--') || (!creates && start !== undefined);
      this.#change(at, limited ? { code: codeOf(checkout), joined: true } : { code: codeOf(checkout), branch: name });
      return;
    }
    if (args.some(({ value }) => value === '--') || name === '.') return;
    const { code } = this.#copyAt(at);
    if (creates && (start === undefined || start === 'HEAD')) {
      this.#branches.set(name, code);
      this.#change(at, { branch: name });
      return;
    }
    if (name !== '') this.#change(at, { code: this.#branches.get(name), branch: name, joined: false });
  }

  #remote([verb, ...rest]: readonly ShellWord[], step: Step, at: Folder): void {
    const [name, url] = positional(rest);
    if (name === undefined || url === undefined) return;
    const remote = remoteAt(url, step, this.#known.repository);
    if (verb?.value === 'add' && name.value !== 'origin') this.#remotes.set(name.value, remote);
    else if (verb?.value === 'add' || verb?.value === 'set-url') this.#change(at, { origin: remote });
  }

  #push(command: ShellCommand, args: readonly ShellWord[], step: Step, at: Folder): void {
    if (at === undefined || args.some(({ value }) => /^(?:--delete|-d|--dry-run|-n)$/.test(value))) return;
    const copy = this.#copyAt(at);
    const [target, ...refspecs] = positional(args);
    const remote = this.#target(target, copy, step);
    if (!remote.own) return;
    const { credential } = remote;
    const place = { step, span: command.span, credential };
    if (refspecs.length === 0) {
      if (copy.code !== undefined && copy.joined) {
        this.#found.push({ ...place, code: copy.code, branch: undefined, chosen: false });
      }
      return;
    }
    for (const refspec of refspecs) {
      const [source, name] = refspecOf(refspec);
      const code = this.#known.named.get(refspec) ?? this.#codeNamed(source, copy);
      if (code === undefined) continue;
      const branch = /^(?:HEAD|@)$/.test(name) ? copy.branch : name.replace(/^refs\/heads\//, '');
      const chosen = ALONE.test(branch) && this.#isHeadBranch(refspec, step);
      this.#found.push({ ...place, code, branch: branch === '' ? undefined : branch, chosen });
    }
  }

  #target(word: ShellWord | undefined, copy: Copy, step: Step): Remote {
    if (word === undefined || word.value === 'origin') return copy.origin;
    return this.#remotes.get(word.value) ?? remoteAt(word, step, this.#known.repository);
  }

  #codeNamed(source: string, copy: Copy): PullRequestCode | undefined {
    if (source === 'HEAD' || source === '@' || (source !== '' && source === copy.branch)) return copy.code;
    const name = source.replace(/^refs\/heads\//, '');
    // The branch of a checkout has no name here; merged code is on it.
    return copy.joined && copy.branch === '' && !this.#branches.has(name) ? copy.code : this.#branches.get(name);
  }

  #isHeadBranch(refspec: ShellWord, step: Step): boolean {
    return this.#known.tracer.ofWord(refspec, step).some((origin) => this.#known.names.of(origin) === 'branch');
  }
}

const UNKNOWN: Copy = { code: undefined, branch: '', joined: false, origin: { own: true, credential: undefined } };

const ALONE = /^(?:\$\{\{[^{}]*\}\}|\$\{?\w+\}?)$/;

function codeOf(checkout: Checkout): PullRequestCode | undefined {
  return isGuarded(checkout) ? undefined : checkout.foreign;
}

function takesValue(word: ShellWord | undefined): boolean {
  return word?.value === '-C' || word?.value === '-c';
}

function branchIn({ args }: ShellCommand): string {
  const at = args.findIndex(({ value }) => /^(?:-b|--branch)$/.test(value));
  const joined = args.find(({ value }) => value.startsWith('--branch='))?.value.slice('--branch='.length);
  return joined ?? (at === -1 ? '' : (args[at + 1]?.value ?? ''));
}
