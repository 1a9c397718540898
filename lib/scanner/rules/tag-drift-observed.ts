import { knownUsesOf, nameOf } from '#lib/facts/action-lookups.ts';
import { commitNamed, type Facts } from '#lib/facts/facts.ts';
import type { Definition } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { isExact, parseVersion } from '#lib/workflow/model/versions.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'drifted' | 'gone';

const at = '2026-08-01T10:00:00Z';
const FACTS: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          {
            branches: new Map(),
            tags: new Map([
              ['v1.2.0', '2'.repeat(40)],
              ['v1.1.0', '1'.repeat(40)],
              ['v1', '2'.repeat(40)],
            ]),
          },
        ],
      ]),
    },
  },
  observations: {
    value: new Map([
      [
        'acme/deploy',
        new Map([
          ['v1.2.0', { commit: '9'.repeat(40), at }],
          ['v1.1.0', { commit: '1'.repeat(40), at }],
          ['v1.0.0', { commit: '8'.repeat(40), at }],
          ['v1', { commit: '1'.repeat(40), at }],
        ]),
      ],
    ]),
  },
};

export const tagDriftObserved = defineRule({
  id: 'tag-drift-observed',
  meta: {
    title: 'Release tag of an action was moved',
    why: 'A release tag such as v1.2.0 should never change. If it later points to another commit, every workflow that uses it runs different code without any change of its own; hijacked actions spread this way.',
    attack:
      'An attacker with write access to an action’s repository moves its release tags to a malicious commit, and reads the secrets of every workflow that runs next.',
    recommendation:
      'Compare the two commits before the next run. Pin the commit that you have reviewed, and rotate every credential that was available to runs since then.',
    limits:
      'Needs network access and earlier observations of the tags: the service records them with each scan, the command line in a file given by `--observed`. Tags that are meant to move, such as v1, are not checked. Some maintainers fix a release under its existing tag.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network', 'observations'],
    since: '0.1.0',
    references: [
      'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
      'https://docs.github.com/code-security/supply-chain-security/understanding-your-software-supply-chain/immutable-releases',
    ],
    messages: {
      drifted: '{{name}} {{tag}} points to {{now}}; on {{date}} it pointed to {{before}}.',
      gone: '{{name}} no longer has the tag {{tag}}; on {{date}} it pointed to {{before}}.',
    },
  },
  examples: {
    bad: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: drifted
                - uses: acme/deploy@v1.2.0
                # expect: gone
                - uses: acme/deploy@v1.0.0
        `,
      },
    ],
    good: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/deploy@v1.1.0
                # Meant to move.
                - uses: acme/deploy@v1
                # A hash cannot change.
                - uses: acme/deploy@9999999999999999999999999999999999999999 # v1.2.0
                # Seen for the first time.
                - uses: acme/deploy@v2.0.0
                - uses: other/tool@v1.2.0
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  const observed = facts.observations !== undefined && 'value' in facts.observations ? facts.observations.value : null;
  if (observed === null) return;
  for (const { uses, at: place, reference, known } of knownUsesOf(definition, facts)) {
    const { slug, ref } = reference;
    const version = isFullSha(ref) ? undefined : parseVersion(ref);
    const before = observed.get(slug)?.get(ref);
    if (version === undefined || !isExact(version) || before === undefined) continue;
    const now = commitNamed(known, 'tags', ref);
    if (now === undefined || now === before.commit) continue;
    yield {
      message: now === null ? 'gone' : 'drifted',
      data: {
        name: nameOf(reference),
        tag: ref,
        now: now?.slice(0, 12) ?? '',
        before: before.commit.slice(0, 12),
        date: before.at.slice(0, 10),
      },
      at: place,
      span: uses.text.span,
      // Without the tag the run fails, which is harmless.
      severity: now === null ? 'LOW' : 'HIGH',
    };
  }
}
