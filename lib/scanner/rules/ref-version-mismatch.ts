import type { ActionFacts, Facts } from '#lib/facts/facts.ts';
import { setComment } from '#lib/workflow/edits/scalars.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Definition, Uses } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { isExact, mostSpecificTag, parseVersion, tagInComment } from '#lib/workflow/model/versions.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'elsewhere' | 'moved' | 'unknown' | 'absent';

const ACME: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map([['main', '9'.repeat(40)]]),
            tags: new Map([
              ['v1', '2'.repeat(40)],
              ['v1.0.0', '1'.repeat(40)],
              ['v1.1.0', '2'.repeat(40)],
              ['cli/v3.0.0', '3'.repeat(40)],
              ['2.0.0', '4'.repeat(40)],
            ]),
          },
        ],
        [
          'acme/many-tags',
          { branches: new Map(), tags: new Map([['v9', '9'.repeat(40)]]), partial: new Set(['tags'] as const) },
        ],
      ]),
    },
  },
};

export const refVersionMismatch = defineRule({
  id: 'ref-version-mismatch',
  meta: {
    title: 'Version comment does not match the pinned commit',
    why: 'People and update bots read the version beside a hash, not the hash. If the two differ, a reviewer approves one version while another runs.',
    attack:
      'A pull request changes an action’s hash to malicious code and keeps the comment, or writes a newer version there; it looks like a routine update.',
    recommendation: 'Find out which of the two is intended, then correct the hash or the comment.',
    limits:
      'Reports each pin once per file. Needs network access for the action’s tags. Comments without a version are not checked, and neither is whether the commit belongs to the repository. A missing tag is not reported if the action has more tags than were listed.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/keeping-your-actions-up-to-date-with-dependabot',
    ],
    messages: {
      elsewhere: '{{name}} is pinned to {{commit}}, but its comment says {{tag}}, which is {{target}}.',
      moved: '{{name}} is pinned to {{commit}}, but {{tag}} in its comment has since moved to {{target}}.',
      unknown: '{{name}} is pinned to {{commit}} with the comment {{tag}}, but it has no such tag.',
      absent: '{{name}} is pinned to {{commit}}, which is {{tag}}, without a version comment.',
    },
  },
  examples: {
    bad: [
      {
        facts: ACME,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: elsewhere
                - uses: acme/deploy@1111111111111111111111111111111111111111 # v1.1.0
                # expect: moved
                - uses: acme/deploy@1111111111111111111111111111111111111111 # tag=v1 (deploys)
                # expect: unknown
                - uses: "acme/deploy/sub@2222222222222222222222222222222222222222" # v1.0.9
                # expect: absent
                - uses: acme/deploy@2222222222222222222222222222222222222222
                - uses: acme/deploy@2222222222222222222222222222222222222222
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: elsewhere
                - uses: acme/deploy@1111111111111111111111111111111111111111 # v1.0.0
                # expect: moved
                - uses: acme/deploy@1111111111111111111111111111111111111111 # tag=v1.0.0 (deploys)
                # expect: unknown
                - uses: "acme/deploy/sub@2222222222222222222222222222222222222222" # v1.1.0
                # expect: absent
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1.1.0
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1.1.0
        `,
      },
    ],
    good: [
      {
        facts: ACME,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1.1.0
                - uses: acme/deploy@2222222222222222222222222222222222222222 # v1.1
                - uses: acme/deploy@3333333333333333333333333333333333333333 # v3.0.0
                - uses: acme/deploy@4444444444444444444444444444444444444444 # v2.0.0
                - uses: acme/deploy@1111111111111111111111111111111111111111 # the one before the rewrite
                - uses: acme/deploy@v1 # v9
                - uses: acme/deploy@5555555555555555555555555555555555555555
                - uses: unknown/action@1111111111111111111111111111111111111111 # v1.1.0
                - uses: acme/many-tags@1111111111111111111111111111111111111111 # v0.1.0
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

const SEVERITIES: Readonly<Record<Message, Severity>> = {
  elsewhere: 'MEDIUM',
  moved: 'LOW',
  unknown: 'MEDIUM',
  absent: 'INFO',
};

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  if (!('value' in facts.network)) return;
  const found = new Map<string, Report<Message>>();
  for (const { uses, at } of usesOf(definition)) {
    const { reference, text, comment } = uses;
    if (reference?.kind !== 'repository' || !isFullSha(reference.ref)) continue;
    const known = facts.network.value.actions.get(reference.slug);
    if (known === undefined || known.tags.size === 0) continue;
    const commit = reference.ref.toLowerCase();
    const actual = mostSpecificTag(known.tags, commit);
    const claimed = tagInComment(comment);
    const verdict =
      claimed === undefined
        ? comment === undefined && actual !== undefined && isVersioned(actual)
          ? { message: 'absent' as const, tag: actual, target: '' }
          : undefined
        : judge(claimed, commit, actual, known);
    if (verdict === undefined) continue;
    const fix = actual === undefined ? undefined : writeVersion(uses, claimed, actual, verdict.message);
    const key = JSON.stringify([verdict, text.value, claimed]);
    const before = found.get(key);
    found.set(key, {
      message: verdict.message,
      data: {
        name: `${reference.owner}/${reference.repo}`,
        commit: commit.slice(0, 12),
        tag: verdict.tag,
        target: verdict.target.slice(0, 12),
      },
      at,
      span: text.span,
      severity: SEVERITIES[verdict.message],
      ...before,
      fix: joined(before?.fix, fix),
    });
  }
  yield* found.values();
}

function joined(first: Fix | undefined, second: Fix | undefined): Fix | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { safety: first.safety, edits: [...first.edits, ...second.edits] };
}

function judge(
  claimed: string,
  commit: string,
  actual: string | undefined,
  { tags, branches, partial }: ActionFacts,
): { message: Message; tag: string; target: string } | undefined {
  const bare = claimed.replace(/^v/, '');
  const names = [bare, `v${bare}`];
  // Monorepos put the package’s name before the version.
  const targets = [...tags].flatMap(([tag, target]) =>
    names.includes(tag) || names.some((name) => ['/', '-', '@'].some((mark) => tag.endsWith(mark + name)))
      ? [target]
      : [],
  );
  if (targets.includes(commit)) return undefined;
  // A comment may say `v4.1` for the commit of v4.1.3 when no tag v4.1 exists.
  const target = targets[0] ?? branches.get(claimed);
  if (target === undefined) {
    if (partial?.has('tags') === true) return undefined;
    const consistent = actual?.replace(/^v/, '').startsWith(`${bare}.`) === true;
    return consistent ? undefined : { message: 'unknown', tag: claimed, target: '' };
  }
  const version = parseVersion(claimed);
  return { message: version !== undefined && isExact(version) ? 'elsewhere' : 'moved', tag: claimed, target };
}

function isVersioned(tag: string): boolean {
  const version = parseVersion(tag);
  return version !== undefined && isExact(version);
}

function writeVersion({ text }: Uses, claimed: string | undefined, actual: string, message: Message): Fix | undefined {
  const edit = setComment(text, actual, claimed);
  const safety = message === 'elsewhere' || message === 'unknown' ? 'review' : 'safe';
  return edit && { safety, edits: [edit] };
}
