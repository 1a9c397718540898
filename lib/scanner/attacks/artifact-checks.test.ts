import { describe } from 'vitest';
import {
  buildOf,
  type Files,
  main,
  row,
  type StepLike,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const BUILD = buildOf('out');
const GET: StepLike = {
  uses: 'actions/download-artifact@v4',
  with: { name: 'out', 'run-id': '${{ github.event.workflow_run.id }}', 'github-token': '${{ github.token }}' },
};
const after = (...steps: StepLike[]): Files =>
  main(workflow({ workflow_run: { workflows: ['Build'], types: ['completed'] } }, steps), BUILD);

/** What compares values of an artifact with each other, or asks about a name in it, keeps nobody out. */
const CHECKOUT: StepLike = { uses: 'actions/checkout@v4.1.0', with: { ref: '${{ steps.a.outputs.v }}' } };
const checkedBy = (name: string, check: string): ReturnType<typeof row> =>
  row(name, after(GET, { id: 'a', run: `${check}\necho "v=$(cat sha)" >> "$GITHUB_OUTPUT"` }, CHECKOUT, 'make'));
const CHECKS = [
  checkedBy('two files that agree', '[ "$(cat sha)" = "$(cat expected)" ] || exit 1'),
  checkedBy(
    'two variables that agree',
    'A=$(cat sha)\nB=$(jq -r .sha meta.json)\nif [[ "$A" != "$B" ]]; then exit 1; fi',
  ),
  checkedBy('a checksum beside the file', 'sha256sum --check sha.sha256'),
  checkedBy('an author in the artifact', '[ "$(cat author)" = maintainer ] || exit 1'),
  checkedBy('an association in the artifact', 'A=$(cat association)\n[ "$A" = MEMBER ] || exit 1'),
  checkedBy(
    'the permission of a name in the artifact',
    'P=$(gh api "repos/acme/app/collaborators/$(cat author)/permission" --jq .permission)\n[ "$P" = write ] || exit 1',
  ),
  checkedBy(
    'the permission of a name that a variable took from the artifact',
    'WHO=$(cat author)\ngh api "repos/acme/app/collaborators/$WHO/permission" --jq .permission | grep -q admin || exit 1',
  ),
  row(
    'two outputs that agree',
    after(
      GET,
      { id: 'a', run: 'echo "v=$(cat sha)" >> "$GITHUB_OUTPUT"\necho "w=$(cat expected)" >> "$GITHUB_OUTPUT"' },
      { ...CHECKOUT, if: 'steps.a.outputs.v == steps.a.outputs.w' },
      { if: 'steps.a.outputs.v == steps.a.outputs.w', run: 'make' },
    ),
  ),
];

describe('checks of an artifact by its own values', () => {
  testSuite({
    rules: ['untrusted-checkout-exec'],
    attacks: CHECKS,
    nearMisses: [
      checkedBy(
        'the permission of who started the run',
        'P=$(gh api "repos/acme/app/collaborators/$GITHUB_ACTOR/permission" --jq .permission)\n[ "$P" = write ] || exit 1',
      ),
    ],
  });
});
