import { taintsIn } from '#lib/analysis/dataflow/taint.ts';
import { jobsRunning } from '#lib/analysis/impact/jobs-running.ts';
import { memoByNode, memoInRepository } from '#lib/analysis/memo.ts';
import { storedCloudKey } from '#lib/analysis/privileges/cloud-sign-ins.ts';
import { usesGitHubPackages } from '#lib/analysis/privileges/github-packages.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { personalTokensPassed, storedTokensIn, tokensInReach } from '#lib/analysis/privileges/personal-tokens.ts';
import { defaultTokenPushes, provenWrites } from '#lib/analysis/privileges/proven-writes.ts';
import { registryPasswords } from '#lib/analysis/privileges/registry-logins.ts';
import { tokensInRemotes } from '#lib/analysis/privileges/remotes.ts';
import { isOnLastingMachine } from '#lib/analysis/privileges/runners.ts';
import { opensLittle, secretNamesIn, secretsOfVariables } from '#lib/analysis/privileges/secret-names.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import { cacheKeysOf } from '#lib/analysis/publishing/build-caches.ts';
import { isNamedAfterDelivery } from '#lib/analysis/publishing/delivery-names.ts';
import { acceptsIdentity, identityUse, mayDeployPages } from '#lib/analysis/publishing/identity-use.ts';
import { expandedSteps, releaseJobs } from '#lib/analysis/publishing/releases.ts';
import { DOCUMENTATION, releasing, reportsOnly } from '#lib/analysis/publishing/reports-only.ts';
import { type PlacedStep, withInnerSteps } from '#lib/analysis/reachability/composites.ts';
import { outsiderEvents, privilegedOutsiderEvents, runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { foreignDownloads } from '#lib/analysis/workspace/artifacts.ts';
import {
  cacheReadingOff,
  cacheTextsOf,
  cacheUseOf,
  cacheUsesIn,
  cacheWritingOff,
  writesSharedCaches,
} from '#lib/analysis/workspace/caches.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { barrierBefore } from '#lib/scanner/engine/start-barriers.ts';
import { actionOf, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Action, Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';

export type FactName =
  | 'approval-policy-unknown'
  | 'artifact-upload'
  | 'barred-start'
  | 'cache-restore'
  | 'cache-save'
  | 'event-text-passed-as-input'
  | 'id-token-write'
  | 'job-token'
  | 'local-call'
  | 'outsider-trigger'
  | 'own-runner'
  | 'personal-token'
  | 'pin-comment-present'
  | 'pull-request-artifact'
  | 'pr-trigger'
  | 'publish-step'
  | 'repository-token'
  | 'secret-use'
  | 'token-write';

export interface Fact {
  readonly name: FactName;
  readonly file: string | null;
  readonly job: string | null;
  readonly step: number | null;
  readonly attributes: Readonly<Record<string, string | boolean | readonly string[]>>;
}

const MAX_OF_KIND = 3_000;
const MAX_CACHES = 300;
const MAX_ITEMS = 30;
const MAX_TEXT = 200;

export function extractFacts(repository: Repository, known: Facts): Fact[] {
  const collector = new Collector();
  for (const workflow of repository.workflows) {
    for (const job of workflow.jobs) {
      if (!runsHere(job, repository)) continue;
      factsOfJob(job, workflow, repository, collector);
      const barrier = barrierBefore(job, { repository, facts: known });
      if (barrier !== undefined)
        collector.add('barred-start', workflow.source.path, job.id, null, { because: barrier.because });
    }
  }
  for (const action of repository.actions) factsOfAction(action, collector);
  if ('missing' in known.settings) collector.add('approval-policy-unknown', null, null, null, {});
  return collector.facts;
}

class Collector {
  readonly facts: Fact[] = [];
  readonly #counts = new Map<FactName, number>();

  add(
    name: FactName,
    file: string | null,
    job: string | null,
    step: number | null,
    attributes: Readonly<Record<string, string | boolean | readonly string[]>>,
  ): void {
    const count = this.#counts.get(name) ?? 0;
    if (count >= (name.startsWith('cache-') ? MAX_CACHES : MAX_OF_KIND)) return;
    this.#counts.set(name, count + 1);
    const bounded = Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value.slice(0, MAX_TEXT)
        : typeof value === 'boolean'
          ? value
          : value.slice(0, MAX_ITEMS).map((item) => item.slice(0, MAX_TEXT)),
    ]);
    this.facts.push({ name, file, job, step, attributes: Object.fromEntries(bounded) as Fact['attributes'] });
  }
}

function factsOfJob(job: Job, workflow: Workflow, repository: Repository, collector: Collector): void {
  const file = workflow.source.path;
  const add = (name: FactName, attributes: Parameters<Collector['add']>[4], step: number | null = null): void =>
    collector.add(name, file, job.id, step, attributes);

  const events = outsiderEvents(job, repository);
  const privileged = events.filter(({ reach }) => reach === 'outsider-privileged').map(({ event }) => event);
  const others = events.filter(({ reach }) => reach !== 'outsider-privileged').map(({ event }) => event);
  if (privileged.length > 0) add('outsider-trigger', { events: [...new Set(privileged)] });
  if (others.length > 0) add('pr-trigger', { events: [...new Set(others)] });

  const holdsPublishToken = secretFacts(job, repository, add);
  const identity = credentialsOf(job).mintsOidc ? identityStrength(job, repository) : undefined;
  const publishes = publishesWithToken(job, repository);
  if (identity !== undefined)
    add('id-token-write', {
      kind: 'oidc',
      strength: identity,
      publishes: publishes || uploadsWithIdentity(job, repository),
    });
  tokenFact(job, { repository, foremost: publishes && !holdsPublishToken && identity !== 'strong' }, add);
  if (isOnLastingMachine(job, repository)) add('own-runner', { kind: 'machine', strength: 'strong' });

  const called = job.uses?.reference;
  if (called?.kind === 'local') {
    add('local-call', { callee: called.path });
    const inputs = passedEventText(job, repository);
    if (inputs.length > 0) add('event-text-passed-as-input', { callee: called.path, inputs });
  }
  const passed = personalTokensPassed(job);
  if (passed.length > 0) add('personal-token', { names: passed.sort(), lasting: true });
  const inRemotes = new Set(job.steps.flatMap((step) => tokensInRemotes(step, repository)));
  if (inRemotes.size > 0)
    add('repository-token', { kind: 'repository-token', names: [...inRemotes].sort(), strength: 'strong' });
  const published = new Set<string>();
  for (const step of job.steps) {
    for (const { kind, name } of releasing(step, repository)) {
      if (!published.has(kind)) add('publish-step', { kind, name }, step.index);
      published.add(kind);
    }
    callFacts(step, (name, attributes) => add(name, attributes, step.index));
    const { stored, ofApps } = tokensInReach(step, repository);
    if (stored.length + ofApps.length > 0)
      add('personal-token', { names: [...stored, ...ofApps], lasting: stored.length > 0 }, step.index);
    const reference = step.uses?.reference;
    if (reference?.kind === 'local') {
      const inputs = passedEventText(step, repository);
      const callee = repository.actionAt(reference.path)?.source.path;
      if (inputs.length > 0 && callee !== undefined) {
        add('event-text-passed-as-input', { callee, inputs }, step.index);
      }
    }
    if (runsAction(step, 'actions/upload-artifact')) {
      add(
        'artifact-upload',
        { name_template: inputOf(step, 'name')?.value ?? 'artifact', outsider: events.length > 0 },
        step.index,
      );
    } else if (/\bupload-?artifact\b/i.test(step.uses?.text.value ?? '')) {
      add('artifact-upload', { name_template: '*', outsider: events.length > 0 }, step.index);
    }
  }
  for (const placed of withInnerSteps(job.steps, repository)) {
    cacheFacts(placed, job, { repository, outsider: privileged.length > 0 }, add);
  }
  for (const { trust, producers, name } of foreignDownloads(job, repository)) {
    if (trust !== 'fork' || producers.length > 0) continue;
    collector.add('pull-request-artifact', file, null, null, { name_template: name ?? '*' });
  }
  for (const action of localActions(job.steps, repository)) {
    const off = action.steps.filter((step) => !jobsRunning(step, repository).has(job));
    add('local-call', { callee: action.source.path, off: off.map(({ index }) => String(index)) });
  }
}

function factsOfAction(action: Action, collector: Collector): void {
  for (const step of action.steps) {
    callFacts(step, (name, attributes) => collector.add(name, action.source.path, null, step.index, attributes));
  }
}

function callFacts(step: Step, add: (name: FactName, attributes: Fact['attributes']) => void): void {
  const reference = step.uses?.reference;
  const comment = step.uses?.comment;
  if (reference?.kind === 'repository' && isFullSha(reference.ref) && comment !== undefined && comment !== '') {
    add('pin-comment-present', { comment });
  }
}

const MAX_DEPTH = 10;
const MAX_ACTIONS = 200;

function localActions(steps: readonly Step[], repository: Repository): ReadonlySet<Action> {
  const found = new Set<Action>();
  let level: readonly Step[] = steps;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: Step[] = [];
    for (const { uses } of level) {
      const action = uses?.reference?.kind === 'local' ? repository.actionAt(uses.reference.path) : undefined;
      if (action === undefined || found.has(action) || found.size >= MAX_ACTIONS) continue;
      found.add(action);
      next.push(...action.steps);
    }
    level = next;
  }
  return found;
}

function identityStrength(job: Job, repository: Repository): 'strong' | 'minor' | 'signs' | 'unused' {
  if (reportsOnly(job, repository)) return 'minor';
  const use = identityUse(job, repository);
  if (use === 'opens') return 'strong';
  return use === 'signs' ? 'signs' : mayDeployPages(job) ? 'minor' : 'unused';
}

function publishesWithToken(job: Job, repository: Repository): boolean {
  const { declared, level } = tokenPermissions(job);
  const proven = provenWrites(job);
  if (declared === undefined) return proven.includes('contents');
  const { scopes, likely } = writeSigns(job, repository);
  const uses = (scope: string): boolean =>
    level(scope) === 'write' && (proven.includes(scope) || scopes.has(scope) || likely?.scopes.has(scope) === true);
  const kinds = new Set(
    expandedSteps(job, repository).flatMap((step) => releasing(step, repository).map(({ kind }) => kind)),
  );
  return (
    uses('contents') ||
    (level('contents') === 'write' && kinds.has('release')) ||
    (uses('packages') && (kinds.has('image') || kinds.has('package')))
  );
}

function uploadsWithIdentity(job: Job, repository: Repository): boolean {
  return expandedSteps(job, repository).some((step) => releasing(step, repository).some(acceptsIdentity));
}

type Add = (name: FactName, attributes: Fact['attributes'], step?: number | null) => void;

const PUBLISHING = /docker|registry|publish|gpg|signing/;
const OF_PACKAGES = /npm|node_auth|pypi|twine|cargo|crates|gem_|rubygems|nuget|maven|sonatype|ossrh|vsce|ovsx/;
const SIGNING_KEYS =
  /code_?sign|(?:^|_)csc_(?:link|key)|(?:^|_)sign(?:ing)?_?(?:key|cert|p12|pfx|store)|notari[sz]|(?:^|_)(?:p12|pfx|keystore)(?:_|$)|developer_id|(?:apple|mac(?:os)?|win(?:dows)?|build)_cert|gpg_(?:private|secret|signing|key)|sparkle_\w{0,20}key|minisign/;
const SIGNING_ACTIONS: ReadonlySet<string> = new Set(['azure/artifact-signing-action', 'azure/trusted-signing-action']);
const PASSWORD = /_(?:pass|passphrase|password|pwd)$/;
const READING = /(?:^|_)(?:read|readonly|ro|pull|download|fetch|install)(?:_|$)/;
const WRITING = /(?:^|_)(?:write|rw|push|publish|deploy|release|upload)(?:_|$)/;
const REMOVES_TOKEN = /\brm [^\n]{0,100}\.npmrc\b/;
const LISTENING = /slack|web_?hook|wechat|feishu|dingtalk|amplitude|sentry|codecov|discord|telegram|datadog/;
const SPEAKING = /(?:^|_)(?:bot|auth|user|app|application|password)(?:_|$)/;
const HANDS_OUT: ReadonlySet<string> = new Set(['package', 'image', 'release', 'deploy']);
const HOLDS_PACKAGES: ReadonlySet<string> = new Set(['package', 'release']);

interface SecretUses {
  readonly lastStep: ReadonlyMap<string, number>;
  readonly publishing: ReadonlySet<string>;
}

const secretUses = memoInRepository((job: Job, repository): SecretUses => {
  const lastStep = new Map<string, number>();
  const inPublishing = new Set<string>();
  const inSigning = new Set<string>();
  const cloudKeys = new Set<string>();
  const published = new Set<string>();
  for (const step of job.steps) {
    const kinds = releasing(step, repository).flatMap(({ kind }) => (HANDS_OUT.has(kind) ? [kind] : []));
    const handsOut = kinds.length > 0;
    for (const kind of kinds) published.add(kind);
    if (handsOut) for (const name of sharedSecretsNamedIn(step, job)) inPublishing.add(name);
    const signing = SIGNING_ACTIONS.has(actionOf(step)?.slug ?? '');
    const cloudKey = storedCloudKey(step)?.text;
    if (cloudKey !== undefined) for (const name of secretNamesIn(cloudKey)) cloudKeys.add(name);
    for (const text of textsBelow(step.mapping)) {
      for (const name of secretNamesIn(text)) {
        lastStep.set(name, step.index);
        if (handsOut) inPublishing.add(name);
        if (signing) inSigning.add(name);
      }
    }
  }
  for (const name of passedToDelivery(job)) inPublishing.add(name);
  const passwords = registryPasswords(job, repository);
  const opens = (name: string): boolean =>
    published.size > 0 &&
    (name === '*' ||
      (published.has('image') && passwords.has(name)) ||
      (published.has('deploy') && cloudKeys.has(name)) ||
      PUBLISHING.test(name) ||
      (OF_PACKAGES.test(name) && [...published].some((kind) => HOLDS_PACKAGES.has(kind))));
  const signs = releaseJobs(repository).has(job);
  const forInstalls = tokensOnlyForInstalls(job, repository);
  const publishing = credentialsOf(job).secrets.filter(
    (name) =>
      !LISTENING.test(name) &&
      !opensLittle(name) &&
      !onlyReads(name) &&
      !forInstalls.has(name) &&
      (inPublishing.has(name) ||
        opens(name) ||
        (signs && (inSigning.has(name) || (SIGNING_KEYS.test(name) && !PASSWORD.test(name))))),
  );
  return { lastStep, publishing: new Set(publishing) };
});

function sharedSecretsNamedIn(step: Step, job: Job): string[] {
  const words = new Set(step.run?.value.match(WORDS));
  return (job.env?.entries ?? []).flatMap(({ name, value }) => (words.has(name) ? secretNamesIn(value) : []));
}

const WORDS = /\w{2,100}/g;

function passedToDelivery(job: Job): string[] {
  const reference = job.uses?.reference;
  if (reference?.kind !== 'repository') return [];
  if (!isNamedAfterDelivery(reference.path.split('/').at(-1) ?? '') && !isNamedAfterDelivery(job)) return [];
  const given = [job.with, job.secrets].flatMap((variables) => variables?.entries ?? []);
  return given.flatMap(({ name, value }) =>
    secretNamesIn(value).filter((secret) => [name.toLowerCase(), secret].some(namesPublishToken)),
  );
}

function namesPublishToken(name: string): boolean {
  return PUBLISHING.test(name) || OF_PACKAGES.test(name) || (SIGNING_KEYS.test(name) && !PASSWORD.test(name));
}

function onlyReads(name: string): boolean {
  return READING.test(name) && !WRITING.test(name);
}

function tokensOnlyForInstalls({ steps }: Job, repository: Repository): ReadonlySet<string> {
  const first = steps.findIndex((step) => releasing(step, repository).length > 0);
  const removal = steps.slice(0, Math.max(first, 0)).findLastIndex(({ run }) => REMOVES_TOKEN.test(run?.value ?? ''));
  const namesIn = (some: readonly Step[]): string[] =>
    some.flatMap(({ mapping }) => textsBelow(mapping).flatMap(secretNamesIn));
  const before = steps.slice(0, Math.max(removal, 0));
  const later = new Set(namesIn(steps.slice(before.length)));
  const written = namesIn(before.filter(({ run }) => run?.value.includes('.npmrc')));
  return new Set(written.filter((name) => !later.has(name)));
}

const publishTokens = memoInRepository(({ jobs }: Workflow, repository): ReadonlySet<string> => {
  const used = jobs.flatMap((job) => [...secretUses(job, repository).publishing]);
  return new Set(used.filter((name) => name !== '*'));
});

const sharedSecrets = memoByNode(({ env }: Workflow) =>
  env === undefined ? new Set<string>() : secretsOfVariables(env),
);

function publishTokenIn(job: Job, repository: Repository): (name: string) => boolean {
  const { publishing } = secretUses(job, repository);
  const elsewhere = publishTokens(job.workflow, repository);
  const shared = sharedSecrets(job.workflow);
  const passwords = registryPasswords(job, repository);
  return (name) => publishing.has(name) || ((shared.has(name) || passwords.has(name)) && elsewhere.has(name));
}

function secretFacts(job: Job, repository: Repository, add: Add): boolean {
  const { secrets } = credentialsOf(job);
  if (secrets.length === 0) return false;
  const { lastStep } = secretUses(job, repository);
  const isPublishToken = publishTokenIn(job, repository);
  const forCaches = cacheKeysOf(job);
  const kinds = new Map<string, string[]>();
  let publishes = false;
  for (const name of secrets) {
    const kind = isPublishToken(name) ? 'publish-token' : job.environment !== undefined ? 'env-secret' : 'repo-secret';
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, [name]);
    else known.push(name);
  }
  for (const [kind, names] of kinds) {
    const steps = names.map((name) => lastStep.get(name));
    const step = steps.includes(undefined) ? null : Math.max(...steps.map((index) => index ?? 0));
    const minor =
      kind === 'publish-token' && reportsOnly(job, repository) && !names.some((name) => opensRepositories(name, job));
    const strength = names.every((name) => onlyListens(name) || opensLittle(name) || forCaches.has(name))
      ? 'weak'
      : minor
        ? 'minor'
        : 'strong';
    add('secret-use', { kind, names: names.sort(), strength, all: names.includes('*') }, step);
    publishes ||= kind === 'publish-token' && strength === 'strong';
  }
  return publishes;
}

const storedTokensOf = memoByNode(({ steps }: Job): ReadonlySet<string> => new Set(steps.flatMap(storedTokensIn)));

function opensRepositories(name: string, job: Job): boolean {
  return !DOCUMENTATION.test(name) && storedTokensOf(job).has(name);
}

function onlyListens(name: string): boolean {
  return LISTENING.test(name) && !SPEAKING.test(name);
}

function tokenFact(
  job: Job,
  { repository, foremost }: { readonly repository: Repository; readonly foremost: boolean },
  add: Add,
): void {
  const { declared, mayWrite } = tokenPermissions(job);
  if (!mayWrite) {
    if (declared?.all !== undefined || declared?.scopes.some(({ level }) => level === 'read') === true) {
      add('job-token', { kind: 'read-token', strength: 'read' });
    }
    return;
  }
  if (declared === undefined) {
    const reached = privilegedOutsiderEvents(job, repository).length > 0;
    const shared = reached && defaultTokenPushes(repository) ? ['contents'] : [];
    const proven = [...new Set([...provenWrites(job), ...shared])];
    const strength = proven.every((scope) => CONVERSATION.has(scope)) ? 'assumed' : 'strong';
    const code = proven.includes('contents') ? { code: true } : {};
    add('token-write', { kind: 'write-token', strength, scopes: proven, foremost, ...code });
    return;
  }
  const scopes = declared.scopes.filter(({ level, scope }) => level === 'write' && scope !== 'id-token');
  if (declared.all !== 'write-all' && scopes.length === 0) return;
  const strong =
    declared.all === 'write-all' ||
    scopes.some(({ scope }) => !CONVERSATION.has(scope) && (scope !== 'packages' || usesGitHubPackages(repository)));
  add('token-write', {
    kind: 'write-token',
    strength: strong ? 'strong' : 'weak',
    scopes: declared.all === 'write-all' ? ['*'] : scopes.map(({ scope }) => scope),
    foremost,
    code: declared.all === 'write-all' || scopes.some(({ scope }) => scope === 'contents' || scope === 'pull-requests'),
  });
}

const CONVERSATION: ReadonlySet<string> = new Set(['issues', 'pull-requests', 'discussions', 'checks', 'statuses']);

function passedEventText(at: Step | Job, repository: Repository): string[] {
  return (at.with?.entries ?? []).flatMap(({ name, value }) =>
    value.value.includes('${{') && taintsIn(value, at, repository).some(({ writer }) => writer === 'outsider')
      ? [name]
      : [],
  );
}

function cacheFacts(
  { step, caller }: PlacedStep,
  job: Job,
  { repository, outsider }: { readonly repository: Repository; readonly outsider: boolean },
  add: Add,
): void {
  const at = caller ?? step;
  const use =
    caller === undefined
      ? cacheUseOf(step)
      : cacheUsesIn(job, repository).find((each) => each.step === caller && each.name === actionOf(step)?.name);
  const saves = use?.saves === true || runsAction(step, 'actions/cache/save');
  if (use === undefined && !saves) return;
  const texts = cacheTextsOf(step, caller);
  const valueOf = (input: string): string => texts.find((text) => text.input === input)?.text.value.trim() ?? '';
  const key = valueOf('key');
  const attributes = {
    // Actions that choose the cache key themselves share caches with other uses of the same action.
    key_template: key === '' ? `action:${(use?.name ?? 'actions/cache').split('/').slice(0, 2).join('/')}` : key,
    restore_prefixes: lines(valueOf('restore-keys')),
    paths: lines(valueOf('path')),
  };
  if (use !== undefined && !cacheReadingOff(job)) add('cache-restore', attributes, at.index);
  if (!saves || cacheWritingOff(job)) return;
  const trusted = job.workflow.triggers.some(({ event }) => writesSharedCaches(event));
  add('cache-save', { ...attributes, trusted, outsider }, at.index);
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
