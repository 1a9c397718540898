import { knownUsesOf, nameOf } from '#lib/facts/action-lookups.ts';
import { commitNamed, type Facts } from '#lib/facts/facts.ts';
import type { Definition } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'differ' | 'same';

const ACME: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map([
              ['main', '9'.repeat(40)],
              ['v1', '9'.repeat(40)],
              ['v2', '2'.repeat(40)],
            ]),
            tags: new Map([
              ['v1', '1'.repeat(40)],
              ['v2', '2'.repeat(40)],
              ['v3', '3'.repeat(40)],
            ]),
          },
        ],
      ]),
    },
  },
};

export const refConfusion = defineRule({
  id: 'ref-confusion',
  meta: {
    title: 'Action ref is both a tag and a branch',
    why: 'When a branch and a tag share a name, readers cannot tell which of the two runs. Tag protection rules do not cover the branch, which moves with every push.',
    attack:
      'Someone who can push branches to the action’s repository, but cannot move its tags, creates a branch with the tag’s name; anything that resolves the name to the branch runs their code.',
    recommendation: 'Pin the commit that the tag points to. Ask the action’s maintainers to delete the branch.',
    limits:
      'Needs network access. If an action has too many tags or branches to list, only the refs in use are looked up.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://git-scm.com/docs/gitrevisions',
    ],
    messages: {
      differ: '{{name}} has a tag {{ref}} ({{tag}}) and a different branch {{ref}} ({{branch}}).',
      same: '{{name}} has a tag and a branch {{ref}}, which both currently point to {{tag}}.',
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
                # expect: differ
                - uses: acme/deploy@v1
                # expect: same
                - uses: acme/deploy/sub@v2
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
                - uses: acme/deploy@v3
                - uses: acme/deploy@main
                - uses: acme/deploy@1111111111111111111111111111111111111111 # v1
                - uses: other/tool@v1
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  for (const { uses, at, reference, known } of knownUsesOf(definition, facts)) {
    const { ref } = reference;
    if (isFullSha(ref)) continue;
    const tag = commitNamed(known, 'tags', ref);
    const branch = commitNamed(known, 'branches', ref);
    if (typeof tag !== 'string' || typeof branch !== 'string') continue;
    yield {
      message: tag === branch ? 'same' : 'differ',
      data: { name: nameOf(reference), ref, tag: tag.slice(0, 12), branch: branch.slice(0, 12) },
      at,
      span: uses.text.span,
      severity: tag === branch ? 'LOW' : 'MEDIUM',
    };
  }
}
