import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { ActionReference } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type UsesMatcher, usesPattern } from '#lib/workflow/patterns/uses-pattern.ts';
import { readConfig } from '../engine/config.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'denied' | 'notAllowed';

export const forbiddenUses = defineRule({
  id: 'forbidden-uses',
  meta: {
    title: 'Action is not allowed by the repository’s policy',
    why: 'Every action publisher can run code with the job’s token and secrets. An allow-list keeps new publishers from slipping in with an ordinary change.',
    attack:
      'An attacker adds a useful-looking action from an unknown account in a pull request. Nobody questions its owner, who from then on decides what runs.',
    recommendation:
      'Replace the action with an allowed one, or agree on it and add a pattern to `uses.allow` in `.github/chainbreak.yml`. Set the same list in the organization’s Actions settings, where GitHub enforces it.',
    limits:
      'Nothing is reported without `uses` in `.github/chainbreak.yml`. Actions used inside an allowed action are not checked, nor are images of containers and services. Anyone who can change the file can change the policy, so assign it an owner in CODEOWNERS.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/organizations/managing-organization-settings/disabling-or-limiting-github-actions-for-your-organization',
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    ],
    messages: {
      denied: '{{name}} matches “{{pattern}}”, which this repository’s policy forbids.',
      notAllowed: '{{name}} is not on the allow-list of this repository’s policy.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                  # expect: denied
                  - uses: acme/legacy@v1
                  - uses: acme/deploy@v1
                  # expect: notAllowed
                  - uses: somebody/notify@v1
                  # expect: notAllowed
                  - uses: docker://alpine:3.20
              call:
                # expect: notAllowed
                uses: somebody/workflows/.github/workflows/build.yml@v1
          `,
          '.github/chainbreak.yml': yaml`
            uses:
              allow: [actions/*, acme/*]
              deny: [acme/legacy]
          `,
        },
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Composite
            description: Calls another action
            runs:
              using: composite
              steps:
                # expect: denied
                - uses: acme/deploy@main
          `,
          '.github/chainbreak.yml': yaml`
            uses:
              deny: ['*@main']
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: Actions/Checkout@v4
                  - uses: acme/deploy/sub@v1
                  - uses: ./.github/actions/setup
                  - uses: $/.github/actions/setup
                  - uses: docker://ghcr.io/acme/lint:1
          `,
          '.github/chainbreak.yml': yaml`
            uses:
              allow: [actions/*, acme/deploy, docker://ghcr.io/acme/*]
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/notify@v1
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check({ config: source, workflows, actions }: Repository): Generator<Report<Message>> {
  // Rule names do not matter here; configuration errors are reported elsewhere.
  const { uses: policy } = readConfig(source, new Set()).config;
  if (policy === undefined) return;
  const denied = policy.deny?.map((pattern) => ({ pattern, matches: usesPattern(pattern) })) ?? [];
  const allowed = policy.allow?.map(usesPattern);
  for (const definition of [...workflows, ...actions]) {
    for (const { uses, at } of usesOf(definition)) {
      const { reference, text } = uses;
      if (reference === undefined || reference.kind === 'local') continue;
      const against = denied.find(({ matches }) => matches(reference));
      if (against === undefined && isAllowed(reference, allowed)) continue;
      yield {
        message: against === undefined ? 'notAllowed' : 'denied',
        data: { name: text.value, pattern: against?.pattern ?? '' },
        at,
        span: text.span,
      };
    }
  }
}

function isAllowed(reference: ActionReference, allowed: readonly UsesMatcher[] | undefined): boolean {
  return allowed === undefined || allowed.some((matches) => matches(reference));
}
