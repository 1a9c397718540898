import type { ActionFacts } from '#lib/facts/facts.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Action, LockedAction, Lockfile, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { isExact, parseVersion } from '#lib/workflow/model/versions.ts';
import { firstLineOf, type Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message =
  | 'version'
  | 'incomplete'
  | 'contradiction'
  | 'identity'
  | 'moved'
  | 'undefined'
  | 'unlisted'
  | 'uncovered'
  | 'local'
  | 'orphan';

export const lockfileDrift = defineRule({
  id: 'lockfile-drift',
  meta: {
    title: 'Actions lockfile does not match the workflows',
    why: 'GitHub runs actions at the commits listed in `.github/workflows/actions.lock`, whatever their tags point to. The lockfile protects only the workflows it lists, and only if no wrong commit was written into it: reviewers rarely read a generated file.',
    attack:
      'A pull request changes the commit of an entry but not the version beside it, so that it looks like a regenerated file. Or a workflow that was never listed runs a tag that an attacker has moved.',
    recommendation:
      'Run `gh actions-lock` and commit the result; reference local actions as `$/path`. Review a changed commit like code, against the release that the entry names.',
    limits:
      'Entries are compared with the workflows and with each other; commits only with the action’s tags, if they are known. Called workflows are not covered by the lockfile. A repository without a lockfile is not reported.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: ['https://github.com/github/actions-lockfile', 'https://github.com/github/gh-actions-lock'],
    messages: {
      version: 'The lockfile uses the unknown format {{version}}, so it was not checked.',
      incomplete: 'The entry {{pin}} has no valid {{field}}.',
      contradiction: 'The entry {{pin}} should be for {{wanted}}, but contains {{actual}}.',
      identity:
        'The entry {{pin}} has {{field}} {{actual}}, but another entry of the same owner or repository has {{wanted}}.',
      moved: 'The entry {{pin}} locks the commit {{actual}}, but the tag {{tag}} is at {{wanted}}.',
      undefined: '{{pin}} is listed for a workflow, but the lockfile has no commit for it.',
      unlisted: '{{pin}} is used here, but the lockfile does not list it for this workflow.',
      uncovered:
        'This workflow uses actions by mutable refs and is missing from the lockfile, which covers other workflows.',
      local: 'This workflow cannot be added to the lockfile while it uses {{path}}.',
      orphan: 'The lockfile lists {{path}}, which does not exist.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/actions.lock': yaml`
            version: v0.0.2
            workflows:
              .github/workflows/ci.yml:
                - actions/checkout@v5
                # expect: undefined
                - acme/lint@v1
              # expect: orphan
              .github/workflows/gone.yml:
                - actions/checkout@v5
            dependencies:
              actions/checkout@v5:
                ref: v5.0.0
                commit: sha1-1111111111111111111111111111111111111111
                owner_id: 44036562
                repo_id: 197814629
              # expect: contradiction
              actions/checkout@v5.1.0:
                ref: v4.0.0
                commit: sha1-2222222222222222222222222222222222222222
                owner_id: 44036562
                # expect: identity
                repo_id: 7
              # expect: incomplete
              acme/deploy@v1:
                ref: v1
                commit: main
                owner_id: 11
                repo_id: 12
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  # expect: unlisted
                  - uses: acme/deploy@v1
                  - uses: $/.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs:
              using: composite
              steps:
                # expect: unlisted
                - uses: acme/setup@v2
          `,
          '.github/workflows/release.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: uncovered
                  - uses: acme/release@v1
          `,
          '.github/workflows/local.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: acme/release@v1
                  # expect: local
                  - uses: ./.github/actions/setup
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/actions.lock': yaml`
            # expect: version
            version: v9.0.0
            workflows: {}
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/actions.lock': yaml`
            version: v0.0.2
            dependencies:
              # expect: contradiction
              acme/deploy@3333333333333333333333333333333333333333:
                ref: v1.0.0
                commit: sha1-1111111111111111111111111111111111111111
                owner_id: 11
                repo_id: 12
              # expect: moved
              acme/deploy@v2:
                ref: v2.0.0
                commit: sha1-9999999999999999999999999999999999999999
                owner_id: 11
                repo_id: 12
          `,
        },
        facts: {
          settings: { missing: 'offline' },
          network: {
            value: {
              actions: new Map([
                [
                  'acme/deploy',
                  { branches: new Map(), tags: new Map([['v2.0.0', '2222222222222222222222222222222222222222']]) },
                ],
              ]),
            },
          },
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/actions.lock': yaml`
            version: 'v0.0.2'
            workflows:
                '.github/workflows/ci.yml':
                    - 'actions/checkout@v5'
                    - 'acme/monorepo@main'
                    - 'acme/setup@v2'
            dependencies:
                'actions/checkout@v5':
                    ref: 'v5.0.0'
                    commit: 'sha1-1111111111111111111111111111111111111111'
                    owner_id: 44036562
                    repo_id: 197814629
                'acme/monorepo@main':
                    ref: 'main'
                    commit: 'sha256-1111111111111111111111111111111111111111111111111111111111111111'
                    owner_id: 11
                    repo_id: 12
                    uses:
                        - 'acme/setup@v2'
                'acme/setup@v2':
                    ref: 'v2'
                    commit: 'sha1-2222222222222222222222222222222222222222'
                    owner_id: 11
                    repo_id: 13
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  - uses: Acme/Monorepo/one@main
                  - uses: $/.github/actions/setup
                  - uses: docker://alpine:3.20
              call:
                uses: acme/workflows/.github/workflows/build.yml@v2
          `,
          '.github/workflows/pinned.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                  - uses: ./.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs:
              using: composite
              steps:
                - uses: acme/setup@v2
          `,
        },
      },
    ],
  },
  check: { lockfile: check },
});

const SEVERITIES: Readonly<Record<Message, Severity>> = {
  contradiction: 'MEDIUM',
  identity: 'MEDIUM',
  moved: 'MEDIUM',
  version: 'INFO',
  // GitHub refuses such a run.
  incomplete: 'LOW',
  undefined: 'LOW',
  unlisted: 'LOW',
  // unpinned-uses already reports each mutable ref.
  uncovered: 'LOW',
  local: 'LOW',
  orphan: 'INFO',
};

function* check(lockfile: Lockfile, { repository, facts }: RuleContext): Generator<Report<Message>> {
  const report = (
    message: Message,
    data: Record<string, string>,
    span: Span,
    at: Report['at'] = lockfile,
  ): Report<Message> => ({ message, data, span, at, severity: SEVERITIES[message] });
  if (!lockfile.versionKnown) {
    const { version, root } = lockfile;
    yield report(
      'version',
      { version: version?.value ?? '(none)' },
      version?.span ?? firstLineOf(root.span, lockfile.source.text),
    );
    return;
  }
  const known = 'value' in facts.network ? facts.network.value.actions : undefined;
  const ids = new Map<string, string>();
  for (const [pin, entry] of lockfile.actions) {
    const problem = inEntry(entry, known?.get(entry.slug));
    if (problem !== undefined) yield report(problem.message, { pin, ...problem.data }, entry.key.span);
    const [owner = ''] = entry.slug.split('/');
    const clash =
      otherId(ids, owner, 'owner_id', entry.ownerId) ?? otherId(ids, entry.slug, 'repo_id', entry.repositoryId);
    if (clash !== undefined) yield report('identity', { pin, ...clash.data }, clash.span);
  }
  const paths = new Set(repository.files.map(({ source }) => source.path));
  for (const { key, pins } of lockfile.workflows.values()) {
    if (!paths.has(key.text)) {
      yield report('orphan', { path: key.text }, key.span);
    }
    for (const { text, pin } of pins) {
      if (pin === undefined || !lockfile.actions.has(pin)) yield report('undefined', { pin: text.value }, text.span);
    }
  }
  const told = new Set<Step>();
  const budget = { left: MAX_VISITS };
  for (const workflow of repository.workflows) {
    const listed = lockfile.workflows.get(workflow.source.path);
    const { movable, locals } = usedBy(workflow, repository, budget);
    if (listed === undefined) {
      const use = movable.find(standsInWorkflow);
      const local = locals.find(standsInWorkflow);
      if (use === undefined || lockfile.workflows.size === 0) continue;
      if (local !== undefined) yield report('local', { path: local.text.value }, local.text.span, local.step);
      else yield report('uncovered', {}, use.text.span, use.step);
      continue;
    }
    const pins = new Set(listed.pins.map(({ pin }) => pin));
    for (const { pin, step, text } of movable) {
      if (pins.has(pin) || told.has(step)) continue;
      told.add(step);
      yield report('unlisted', { pin }, text.span, step);
    }
  }
}

interface Problem {
  readonly message: Message;
  readonly data: Record<string, string>;
}

function inEntry(entry: LockedAction, known: ActionFacts | undefined): Problem | undefined {
  const { ref, commit, ownerId, repositoryId, wantedRef } = entry;
  if (commit?.hash === undefined) return { message: 'incomplete', data: { field: 'commit' } };
  if (ref === undefined || ref.value === '') return { message: 'incomplete', data: { field: 'ref' } };
  for (const [field, id] of [['owner_id', ownerId] as const, ['repo_id', repositoryId] as const]) {
    if (id === undefined || !/^[1-9]\d*$/.test(id.value)) return { message: 'incomplete', data: { field } };
  }
  if (isFullSha(wantedRef)) {
    const same = wantedRef.toLowerCase() === commit.hash;
    return same ? undefined : contradiction(short(wantedRef), short(commit.hash));
  }
  if (!mayStandFor(ref.value, wantedRef)) return contradiction(wantedRef, ref.value);
  const version = parseVersion(ref.value);
  const tagged = version !== undefined && isExact(version) ? known?.tags.get(ref.value) : undefined;
  if (tagged === undefined || tagged === commit.hash) return undefined;
  return { message: 'moved', data: { tag: ref.value, actual: short(commit.hash), wanted: short(tagged) } };
}

function contradiction(wanted: string, actual: string): Problem {
  return { message: 'contradiction', data: { wanted, actual } };
}

function mayStandFor(actual: string, wanted: string): boolean {
  const [one, other] = [parseVersion(actual), parseVersion(wanted)];
  if (one === undefined || other === undefined) return true;
  return other.numbers.every((number, index) => (one.numbers[index] ?? number) === number);
}

function otherId(
  ids: Map<string, string>,
  name: string,
  field: string,
  id: Text | undefined,
): { readonly data: Record<string, string>; readonly span: Span } | undefined {
  if (id === undefined) return undefined;
  const key = `${field} ${name}`;
  const before = ids.get(key);
  if (before === undefined) ids.set(key, id.value);
  return before === undefined || before === id.value
    ? undefined
    : { data: { field, actual: id.value, wanted: before }, span: id.span };
}

function standsInWorkflow({ step }: Omit<Used, 'pin'>): boolean {
  return step.parent.kind === 'job';
}

interface Used {
  readonly pin: string;
  readonly step: Step;
  readonly text: Text;
}

const MAX_VISITS = 20_000;

function usedBy(
  workflow: Workflow,
  repository: Repository,
  budget: { left: number },
): { readonly movable: readonly Used[]; readonly locals: readonly Omit<Used, 'pin'>[] } {
  const movable: Used[] = [];
  const locals: Omit<Used, 'pin'>[] = [];
  const seen = new Set<Action>();
  const queue: (Workflow | Action)[] = [workflow];
  for (let definition = queue.pop(); definition !== undefined && budget.left > 0; definition = queue.pop()) {
    budget.left -= 1;
    for (const { uses, at } of usesOf(definition)) {
      const { reference, text } = uses;
      if (at.kind !== 'step' || reference === undefined || reference.kind === 'docker') continue;
      if (reference.kind === 'repository') {
        if (reference.ref === '' || isFullSha(reference.ref)) continue;
        movable.push({ pin: `${reference.slug}@${reference.ref}`, step: at, text });
        continue;
      }
      if (reference.form === './') locals.push({ step: at, text });
      const action = repository.actionAt(reference.path);
      if (action === undefined || seen.has(action)) continue;
      seen.add(action);
      queue.push(action);
    }
  }
  return { movable, locals };
}

function short(hash: string): string {
  return hash.slice(0, 12);
}
