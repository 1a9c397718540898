import { MOVED_ACTIONS } from '#lib/data/generated/moved-actions.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import { networkOf, repositoryUsesOf } from '#lib/facts/action-lookups.ts';
import type { ActionFacts, Facts } from '#lib/facts/facts.ts';
import type { Definition } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { editUses } from '../remedies/pin.ts';

const SNAPSHOT = provenance['moved-actions.ts'].date;
const MOVED: ReadonlyMap<string, string> = new Map(MOVED_ACTIONS.map(({ action, to }) => [action, to]));

type Message = 'unclaimed' | 'redirected' | 'moved';

const refs: ActionFacts = { branches: new Map(), tags: new Map() };
const FACTS: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map<string, ActionFacts>([
        ['former/deploy', { ...refs, renamed: { to: 'acme/deploy', formerOwner: 'absent' } }],
        ['acme/old-name', { ...refs, renamed: { to: 'acme/new-name', formerOwner: 'exists' } }],
        ['acme/deploy', refs],
      ]),
      missing: new Map([
        ['nobody/lint', { owner: 'absent' }],
        ['somebody/private', { owner: 'exists' }],
        ['unasked/tool', { owner: undefined }],
      ]),
    },
  },
};

export const repoJacking = defineRule({
  id: 'repo-jacking',
  meta: {
    title: 'Action’s owner name can be claimed by anyone',
    why: 'A reference contains a name, not an account ID. After an account is deleted or renamed, its name is free, and whoever registers it controls what the workflow runs.',
    attack:
      'The attacker registers the free account name, creates a repository with the action’s name and the tags that workflows use, and waits for the next run.',
    recommendation:
      'Use the repository’s current name. If the account no longer exists, switch to another action, or a fork of your own.',
    limits: `Needs network access to a host that has every action: without it, only a list of renamed and transferred actions as of ${SNAPSHOT} is used, and on GitHub Enterprise Server, actions from github.com are not checked. GitHub reserves some names of deleted popular repositories, which cannot be seen from outside, and hides suspended accounts, which look deleted. URLs in scripts and submodules are not checked.`,
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network'],
    partly: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/account-and-profile/reference/username-reference',
      'https://docs.github.com/repositories/creating-and-managing-repositories/renaming-a-repository',
      'https://docs.github.com/repositories/creating-and-managing-repositories/transferring-a-repository',
    ],
    messages: {
      unclaimed:
        '{{name}} does not exist, and neither does the account {{owner}}: anyone can register the name and run code here.',
      redirected:
        '{{name}} was renamed to {{to}}, and the account {{owner}} no longer exists: anyone who registers the name takes over the redirect.',
      moved: '{{name}} was renamed to {{to}}: a new repository with the old name would replace the redirect.',
    },
  },
  examples: {
    bad: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: unclaimed
                - uses: nobody/lint@v1
        `,
      },
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: redirected
                - uses: Former/deploy@v1
                # expect: moved
                - uses: "acme/old-name/sub@v2"
                # expect: moved LOW
                - uses: Eskatos/gradle-command-action@v1
        `,
        fixed: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: redirected
                - uses: acme/deploy@v1
                # expect: moved
                - uses: "acme/new-name/sub@v2"
                # expect: moved LOW
                - uses: gradle/gradle-build-action@v1
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
                - uses: acme/deploy@v1
                # Private or deleted: only its owner can create it again.
                - uses: somebody/private@v1
                - uses: unasked/tool@v1
                - uses: not/looked-up@v1
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

const SEVERITIES: Readonly<Record<Message, Severity>> = { unclaimed: 'HIGH', redirected: 'MEDIUM', moved: 'LOW' };

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  const network = networkOf(facts);
  for (const { uses, at, reference } of repositoryUsesOf(definition)) {
    const { slug, owner, repo } = reference;
    const found = network?.actions.get(slug);
    const gone = network?.missing?.get(slug);
    const renamed = found === undefined && gone === undefined ? listed(slug) : found?.renamed;
    const message: Message | undefined =
      gone?.owner === 'absent'
        ? 'unclaimed'
        : renamed === undefined
          ? undefined
          : renamed.formerOwner === 'absent'
            ? 'redirected'
            : 'moved';
    if (message === undefined) continue;
    const name = `${owner}/${repo}`;
    const to = renamed?.to ?? '';
    yield {
      message,
      data: { name, owner, to },
      at,
      once: slug,
      span: uses.text.span,
      severity: SEVERITIES[message],
      confidence: message === 'moved' && found !== undefined ? 'high' : 'medium',
      // The redirect leads to the same repository today, but the built-in list may be outdated.
      fix:
        renamed === undefined || !uses.text.value.startsWith(name)
          ? undefined
          : editUses(uses, { start: 0, end: name.length }, to, found === undefined ? 'review' : 'safe'),
    };
  }
}

function listed(slug: string): ActionFacts['renamed'] {
  const to = MOVED.get(slug);
  return to === undefined ? undefined : { to, formerOwner: undefined };
}
