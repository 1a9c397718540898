import { describe } from 'vitest';
import { composite, LOCAL, main, row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const COMMENT = '${{ github.event.comment.body }}';
const CHECK = '[[ "$BODY" =~ ^[a-z]+$ ]] || exit 1';
const LOOKUP = 'gh api "repos/acme/app/collaborators/$WHO/permission" --jq .permission | grep admin';

const after = (step: Readonly<Record<string, unknown>>, inner: StepLike, top: object = {}): ReturnType<typeof main> =>
  main(workflow('issue_comment', [{ uses: LOCAL, ...step }, `echo "${COMMENT}"`]), composite([inner], top));

const INPUT = { inputs: { body: { description: 'A word' } } };

const ATTACKS = [
  row('text that an action checks by halves', after({}, { env: { BODY: COMMENT }, run: '[[ "$BODY" =~ ^[a-z] ]]' })),
  row(
    'text that an action checks in some runs',
    after({ if: "github.actor != 'x'" }, { env: { BODY: COMMENT }, run: CHECK }),
  ),
  row(
    'text that a step of an action checks in some runs',
    after({}, { if: "github.actor != 'x'", env: { BODY: COMMENT }, run: CHECK }),
  ),
  row(
    'text beside the one that an action checks',
    after(
      { with: { body: '${{ github.event.issue.title }}' } },
      { env: { BODY: '${{ inputs.body }}' }, run: CHECK },
      INPUT,
    ),
  ),
  row(
    'text before the action that checks it',
    main(
      workflow('issue_comment', [`echo "${COMMENT}"`, { uses: LOCAL }]),
      composite([{ env: { BODY: COMMENT }, run: CHECK }]),
    ),
  ),
  ...[
    ['a check without failure', '[[ "$BODY" =~ ^[a-z]+$ ]] || exit 0'],
    ['a check that warns and fails elsewhere', '[[ "$BODY" =~ ^[a-z]+$ ]] || echo odd\n[ -n "$BODY" ] || exit 1'],
    ['a check in a branch', 'if [ "$RUNNER_OS" = Linux ]; then [[ "$BODY" =~ ^[a-z]+$ ]] || exit 1; fi'],
    [
      'a check after a successful end',
      'if [ "$RUNNER_OS" = Linux ]; then exit 0; fi\n[[ "$BODY" =~ ^[a-z]+$ ]] || exit 1',
    ],
    ['a check of a part of the text', 'BODY=$(echo "$BODY" | head -n1)\n[[ "$BODY" =~ ^[a-z]+$ ]] || exit 1'],
    ['a check of another pattern', '[[ "$BODY" =~ ^.+$ ]] || exit 1'],
    ['a check in a loop that skips', 'for x in 1; do [[ "$BODY" =~ ^[a-z]+$ ]] || continue; done\nexit 1 || true'],
  ].map(([name = '', run]) => row(name, after({}, { env: { BODY: COMMENT }, run }))),
  row('a comment after an action that looks nobody up', after({}, 'gh api "repos/acme/app/issues"')),
];

const NEAR = [
  ...[
    ['a check in a condition', 'if ! [[ "$BODY" =~ ^[a-z]+$ ]]; then\n  echo no\n  exit 2\nfi'],
    ['a check that fails in a function', 'fail() { echo no; exit 1; }\n[[ "$BODY" =~ ^[a-z]+$ ]] || fail'],
    ['a bare check', 'set -e\n[[ "$BODY" =~ ^[a-z]+$ ]]\necho fine'],
  ].map(([name = '', run]) => row(name, after({}, { env: { BODY: COMMENT }, run }))),
  row('text that an action checks', after({}, { env: { BODY: COMMENT }, run: CHECK })),
  row(
    'text that an action checks as its input',
    after({ with: { body: COMMENT } }, { env: { BODY: '${{ inputs.body }}' }, run: CHECK }, INPUT),
  ),
  row('a comment of somebody whose permission an action looks up', after({}, LOOKUP)),
];

describe('checks in local actions', () => {
  testSuite({ rules: ['template-injection'], attacks: ATTACKS, nearMisses: NEAR });
});
