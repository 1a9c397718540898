import { distinctUsesIn, nameOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'untagged';

const OWN = '1'.repeat(40);
const ACME: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map([['main', '9'.repeat(40)]]),
            tags: new Map([['v1.1.0', '2'.repeat(40)]]),
            commits: new Map([
              [OWN, 'own'],
              ['2'.repeat(40), 'own'],
              ['f'.repeat(40), 'foreign'],
            ] as const),
          },
        ],
        ['acme/untagged', { branches: new Map(), tags: new Map(), commits: new Map([[OWN, 'own']] as const) }],
        [
          'acme/large',
          {
            branches: new Map(),
            tags: new Map([['v9', '9'.repeat(40)]]),
            partial: new Set(['tags'] as const),
            commits: new Map([[OWN, 'own']] as const),
          },
        ],
      ]),
    },
  },
};

export const staleActionRefs = defineRule({
  id: 'stale-action-refs',
  meta: {
    title: 'Pinned commit has no release tag',
    why: 'Security advisories speak of versions, and update bots move from tag to tag. A commit between two releases is in no version: nobody can tell whether an advisory is about it.',
    attack:
      'None by itself. A weakness that a release has repaired stays in use, because no warning matches the commit.',
    recommendation: 'Pin the commit of the next release, with its tag in a comment.',
    limits:
      'Needs the network. Said once for each action and commit. Actions without any tag are left out, and those with so many tags that not all were listed.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: [],
    needs: ['network', 'commits'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/create-and-publish-actions/release-and-maintain-actions',
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/keeping-your-actions-up-to-date-with-dependabot',
    ],
    messages: {
      untagged: '{{name}} is pinned to {{commit}}, which none of its tags names.',
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
                # expect: untagged
                - uses: acme/deploy@1111111111111111111111111111111111111111
                - uses: acme/deploy@1111111111111111111111111111111111111111
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
                - uses: acme/deploy@2222222222222222222222222222222222222222
                - uses: acme/deploy@ffffffffffffffffffffffffffffffffffffffff
                - uses: acme/deploy@v1.1.0
                - uses: acme/untagged@1111111111111111111111111111111111111111
                - uses: acme/large@1111111111111111111111111111111111111111
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  for (const { uses, at, reference, known } of distinctUsesIn(repository, facts)) {
    const commit = reference.ref.toLowerCase();
    const { tags, partial, commits } = known;
    if (tags.size === 0 || partial?.has('tags') === true || commits?.get(commit) !== 'own') continue;
    if ([...tags.values()].includes(commit)) continue;
    yield {
      message: 'untagged',
      data: { name: nameOf(reference), commit: commit.slice(0, 12) },
      at,
      span: uses.text.span,
    };
  }
}
