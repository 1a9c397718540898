import provenance from '#lib/data/provenance.json' with { type: 'json' };
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import type { Uses, UsesSite } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';
import { lookalikeOf } from '../shared/lookalikes.ts';

const SNAPSHOT = provenance['popular-actions.ts'].date;

export const typosquatUses = defineRule({
  id: 'typosquat-uses',
  meta: {
    title: 'Action name resembles a popular action',
    why: 'The owner of an action controls the code that runs. A name that differs from a well-known one by a single character belongs to someone else, or to whoever registers it first.',
    attack:
      'The attacker registers the misspelled account with a copy of the popular action that also steals secrets, and waits for workflows with the typo.',
    recommendation: 'Compare the name with the action’s documentation, and use the popular one if that was intended.',
    limits: `Compares with a list of popular actions as of ${SNAPSHOT}. Whether the account exists, and how old it is, is not checked, so the confidence is low. Only the owner is compared: nobody else can claim a misspelled name under the right owner.`,
    severity: 'MEDIUM',
    confidence: 'low',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://orca.security/resources/blog/typosquatting-in-github-actions/',
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    ],
    messages: {
      lookalike: '{{name}} resembles the popular {{popular}}, but is a different action.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: lookalike
                - uses: action/checkout@v5
                # expect: lookalike
                - uses: "actons/setup-node@v4" # node
                # expect: lookalike
                - uses: tjactions/changed-files@v46
                # expect: lookalike
                - uses: actlons/cache/save@v4
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: lookalike
                - uses: actions/checkout@v5
                # expect: lookalike
                - uses: "actions/setup-node@v4" # node
                # expect: lookalike
                - uses: tj-actions/changed-files@v46
                # expect: lookalike
                - uses: actions/cache/save@v4
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: Actions/Checkout@v5
                - uses: actions/chekout@v5
                - uses: acme/checkout@v5
                - uses: getsentry/codecov-action@v1
                - uses: step-security/publish-unit-test-result-action@v2
                - uses: actions-rs/cargo@v1
                - uses: ./.github/actions/checkout
        `,
      },
    ],
  },
  check: { uses: check },
});

function* check({ uses, at }: UsesSite): Generator<Report<'lookalike'>> {
  const { reference, text } = uses;
  if (reference?.kind !== 'repository') return;
  const popular = knownLookalikeOf(reference.slug);
  if (popular === undefined) return;
  yield {
    message: 'lookalike',
    data: { name: `${reference.owner}/${reference.repo}`, popular },
    at,
    span: text.span,
    fix: rename(uses, popular),
  };
}

const known = new Map<string, string | undefined>();
const MAX_KNOWN = 10_000;

function knownLookalikeOf(slug: string): string | undefined {
  if (!known.has(slug)) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(slug, lookalikeOf(slug));
  }
  return known.get(slug);
}

/** A hash belongs to the other repository, so only tags and branches carry over. */
function rename({ text, reference }: Uses, popular: string): Fix | undefined {
  if (reference?.kind !== 'repository' || isFullSha(reference.ref)) return undefined;
  const written = `${reference.owner}/${reference.repo}`;
  const edit = text.value.startsWith(written) ? replaceVerbatim(text, 0, written.length, popular) : undefined;
  return edit && { safety: 'review', edits: [edit] };
}
