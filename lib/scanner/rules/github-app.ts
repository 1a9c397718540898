import { mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { actionOf, inputOf, isFalse, isTrue } from '#lib/workflow/model/action-uses.ts';
import { type Definition, definitionOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

interface TokenAction {
  readonly repositories: readonly string[];
  readonly coversAll: 'always' | 'with-owner';
  readonly permissions: string | undefined;
  readonly keeps: readonly string[];
  readonly revokes: readonly string[];
}

const TOKEN_ACTIONS: Readonly<Record<string, TokenAction>> = {
  'actions/create-github-app-token': {
    repositories: ['repositories'],
    coversAll: 'with-owner',
    permissions: undefined,
    keeps: ['skip-token-revoke', 'skip_token_revoke'],
    revokes: [],
  },
  'tibdex/github-app-token': {
    repositories: ['repositories', 'repository'],
    coversAll: 'always',
    permissions: 'permissions',
    keeps: [],
    revokes: ['revoke'],
  },
  'peter-murray/workflow-application-token-action': {
    repositories: [],
    coversAll: 'with-owner',
    permissions: 'permissions',
    keeps: [],
    revokes: ['revoke_token'],
  },
};

type Message = 'kept' | 'everywhere' | 'everything';

export const githubApp = defineRule({
  id: 'github-app',
  meta: {
    title: 'GitHub App token with excessive permissions or lifetime',
    why: 'A GitHub App token can do whatever the app can do wherever it is installed, unless the request limits it. Such apps usually have write access to many repositories.',
    attack:
      'A compromised action or package in the job takes the app’s token and writes to every other repository of the organization.',
    recommendation:
      'List the `repositories`, add one `permission-…` input for each permission the job uses, and keep the revocation at the end of the job.',
    limits:
      'The app’s own permissions and where it is installed are unknown. Tokens that scripts request are not seen.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/actions/create-github-app-token#inputs',
      'https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/making-authenticated-api-requests-with-a-github-app-in-a-github-actions-workflow',
    ],
    messages: {
      kept: 'The app token is not revoked at the end of the job and stays valid for up to an hour.',
      everywhere: 'The app token covers every repository that the app is installed on{{owner}}.',
      everything: 'The app token has every permission of the app, because the step does not list any.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                # expect: everything
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    # expect: kept
                    skip-token-revoke: true
                    private-key: \${{ secrets.KEY }}
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    # expect: everywhere
                    owner: acme
                    permission-contents: read
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    # expect: everywhere
                    owner: \${{ github.repository_owner }}
                    permission-contents: read
                # expect: everywhere
                - uses: tibdex/github-app-token@v2
                  with:
                    app_id: \${{ vars.APP }}
                    private_key: \${{ secrets.KEY }}
                    permissions: '{"contents": "read"}'
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    # expect: everywhere
                    owner: \${{ github.repository_owner }}
                    # expect: kept
                    skip-token-revoke: "true"
                    permission-contents: read
        `,
        fixed: yaml`
          on: push
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/create-github-app-token@v2
                  with:
                    repositories: \${{ github.event.repository.name }}
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    # expect: everywhere
                    owner: \${{ github.repository_owner }}
                    # expect: kept
                    skip-token-revoke: false
                    permission-contents: read
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    permission-contents: write
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    owner: acme
                    repositories: one, two
                    skip-token-revoke: false
                    permission-issues: write
                - uses: actions/create-github-app-token@v2
                  with:
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
                    owner: acme
                    permission-members: read
                    permission-organization-projects: write
        `,
      },
    ],
  },
  check: { step: check },
});

function* check(step: Step): Generator<Report<Message>> {
  const action = TOKEN_ACTIONS[actionOf(step)?.slug ?? ''];
  if (action !== undefined) yield* judge(step, action, definitionOf(step));
}

function* judge(step: Step, action: TokenAction, definition: Definition): Generator<Report<Message>> {
  const uses = step.uses?.span ?? step.span;
  const attributes = { kind: 'app-token' };
  const permissions = step.with?.entries.filter(({ name }) => name.toLowerCase().startsWith('permission-')) ?? [];
  for (const name of [...action.keeps, ...action.revokes]) {
    const value = inputOf(step, name);
    const entry = step.with?.get(name);
    if (entry === undefined || !(action.keeps.includes(name) ? isTrue(value) : isFalse(value))) continue;
    const fixed = action.keeps.includes(name) ? 'false' : 'true';
    yield {
      message: 'kept',
      at: step,
      span: entry.span,
      attributes,
      fix: mayInsert(definition) ? turn(entry.value, fixed) : undefined,
    };
  }
  const owner = step.with?.get('owner') ?? step.with?.get('organization');
  const limited = action.repositories.some((name) => (inputOf(step, name)?.value ?? '') !== '');
  const organizational =
    permissions.length > 0 &&
    permissions.every(({ name }) => /^permission-(?:organization-|members$|team)/i.test(name));
  if (!limited && !organizational && (owner !== undefined || action.coversAll === 'always')) {
    yield {
      message: 'everywhere',
      data: { owner: owner === undefined || owner.value.value.includes('${{') ? '' : ` at ${owner.value.value}` },
      at: step,
      span: owner?.span ?? uses,
      attributes,
      fix: limitRepositories(step, definition),
    };
  }
  const named =
    action.permissions === undefined ? permissions.length > 0 : inputOf(step, action.permissions) !== undefined;
  if (!named)
    yield { message: 'everything', at: step, span: uses, severity: 'LOW', attributes, advice: rightsOf(step) };
}

/** Gives advice instead of a fix, because a missing permission would break the steps that use the token. */
function rightsOf(step: Step): string {
  const token = step.id === undefined ? 'the token' : `\`steps.${step.id.value}.outputs.token\``;
  return actionOf(step)?.slug === 'actions/create-github-app-token'
    ? `Check which steps receive ${token}, and list the permissions they need in \`with\`: \`permission-contents: write\` to push, \`permission-pull-requests: write\` to open or comment on pull requests, and so on.`
    : `Check which steps receive ${token}, and limit it to the permissions they need.`;
}

function limitRepositories(step: Step, definition: Definition): Fix | undefined {
  const inputs = entryOf(step.mapping, 'with')?.value;
  const owner = inputOf(step, 'owner')?.value ?? '';
  if (
    actionOf(step)?.slug !== 'actions/create-github-app-token' ||
    !/^\$\{\{\s*github\.repository_owner\s*\}\}$/.test(owner)
  )
    return undefined;
  if (inputs?.kind !== 'mapping' || !mayInsert(definition)) return undefined;
  const edit = setKey(inputs, 'repositories', '${{ github.event.repository.name }}');
  return edit && { safety: 'review', edits: [edit] };
}

function turn(text: Text, value: string): Fix | undefined {
  const edit = replaceScalar(text, value);
  return edit && { safety: 'review', edits: [edit] };
}
