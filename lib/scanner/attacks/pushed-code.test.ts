import { describe } from 'vitest';
import {
  composite,
  type Files,
  LOCAL,
  main,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const SHA = '${{ github.event.pull_request.head.sha }}';
const BRANCH = '${{ github.head_ref }}';
const FORK = '${{ github.event.pull_request.head.repo.full_name }}';
const NUMBER = '${{ github.event.number }}';
const COMMENTED = '${{ github.event.issue.number }}';
const BOT = '${{ secrets.BOT_TOKEN }}';
const OWN = '${{ github.repository }}';
const MEMBER = 'contains(fromJSON(\'["OWNER", "MEMBER"]\'), github.event.comment.author_association)';
const LABEL = "contains(github.event.pull_request.labels.*.name, 'ok-to-test')";

const CI: Files = {
  '.github/workflows/ci.yml': workflow('push', [checkout(), { run: 'make', env: { KEY: '${{ secrets.KEY }}' } }]),
};

function checkout(inputs: object = {}): StepLike {
  return { uses: 'actions/checkout@v4.1.0', with: inputs };
}

const as = (token: string, run: string): StepLike => ({ run, env: { GH_TOKEN: token } });
const byBot = (inputs: object = {}): StepLike => checkout({ token: BOT, ...inputs });
const onPull = (steps: readonly StepLike[], job: object = {}): Files =>
  main(workflow('pull_request_target', steps, job), CI);
const onComment = (steps: readonly StepLike[], job: object = {}): Files =>
  main(workflow('issue_comment', steps, job), CI);

const ATTACKS = [
  row('the head commit', onPull([byBot({ ref: SHA }), `git push origin HEAD:refs/heads/ci-${NUMBER}`])),
  row('the test merge', onPull([byBot({ ref: `refs/pull/${NUMBER}/merge` }), 'git push -f origin HEAD:ci/fork'])),
  row(
    'a branch made of the head commit',
    onPull([byBot({ ref: SHA }), 'git switch -c "ext-$GITHUB_RUN_ID"\ngit push -u origin "ext-$GITHUB_RUN_ID"']),
  ),
  row(
    'a fetched ref that nothing checks out',
    onComment([byBot(), `git fetch origin pull/${COMMENTED}/head:pr\ngit push origin +pr:ci/pr`]),
  ),
  row(
    'FETCH_HEAD',
    onComment([byBot(), `git fetch origin refs/pull/${COMMENTED}/head\ngit push origin FETCH_HEAD:refs/heads/try`]),
  ),
  row('what gh checks out', onComment([byBot(), `gh pr checkout ${COMMENTED} -b try\ngit push --force origin try`])),
  row('what gh checks out, by HEAD', onPull([byBot(), `gh pr checkout ${NUMBER}\ngit push origin HEAD:staging`])),
  row(
    'a commit in a variable',
    onPull([byBot(), as(SHA, 'git fetch origin "$GH_TOKEN"\ngit push origin "$GH_TOKEN:refs/heads/try"')]),
  ),
  row(
    'a remote of the fork',
    onPull([
      byBot(),
      `git remote add fork https://github.com/${FORK}\ngit fetch fork main\ngit checkout -b try fork/main\ngit push origin try`,
    ]),
  ),
  row(
    'an address with a token',
    onPull([
      checkout({ ref: SHA }),
      as(BOT, `git push "https://x-access-token:$GH_TOKEN@github.com/$GITHUB_REPOSITORY" HEAD:try`),
    ]),
  ),
  row(
    'an address of origin with a token',
    onPull([
      checkout({ ref: SHA }),
      `git remote set-url origin https://bot:${BOT}@github.com/${OWN}.git\ngit push origin HEAD:try`,
    ]),
  ),
  row(
    'an ssh key',
    onPull([checkout({ ref: SHA, 'ssh-key': '${{ secrets.DEPLOY_KEY }}' }), 'git push origin HEAD:try']),
  ),
  row(
    'the token of an app',
    onPull([
      { id: 'app', uses: 'actions/create-github-app-token@v2' },
      checkout({ ref: SHA, token: '${{ steps.app.outputs.token }}' }),
      'git push origin HEAD:try',
    ]),
  ),
  row(
    'a merge into the main branch',
    onComment([checkout(), `git fetch origin pull/${COMMENTED}/head:pr\ngit merge pr\ngit push`]),
  ),
  row(
    'a merge that the main branch names',
    onComment([
      checkout(),
      `git fetch origin pull/${COMMENTED}/head:pr\ngit merge --squash pr\ngit commit -m x\ngit push origin main`,
    ]),
  ),
  row(
    'a branch that the author names',
    onPull([checkout({ ref: SHA }), `git commit -am format\ngit push origin HEAD:${BRANCH}`]),
  ),
  row(
    'a branch that the author names, in a variable',
    onPull([checkout({ ref: SHA }), { run: 'git push origin "HEAD:refs/heads/$NAME"', env: { NAME: BRANCH } }]),
  ),
  row(
    'a workflow started there',
    onPull([checkout({ ref: SHA }), 'git push origin HEAD:try\ngh workflow run ci.yml --ref try']),
  ),
  row('a ref made with gh', onPull([as(BOT, `gh api "repos/${OWN}/git/refs" -f ref=refs/heads/try -f sha=${SHA}`)])),
  row(
    'a ref moved with gh',
    onPull([as(BOT, `gh api -X PATCH "repos/{owner}/{repo}/git/refs/heads/try" -f "sha=${SHA}" -F force=true`)]),
  ),
  row(
    'a ref made by a script',
    onPull([
      {
        uses: 'actions/github-script@v8',
        with: {
          'github-token': BOT,
          script:
            'await github.rest.git.createRef({\n  ...context.repo,\n  ref: `refs/heads/try-${context.issue.number}`,\n  sha: context.payload.pull_request.head.sha,\n});',
        },
      },
    ]),
  ),
  row(
    'a merge by a script',
    onPull([
      script(
        'await github.rest.repos.merge({ ...context.repo, base: "main", head: context.payload.pull_request.head.sha });',
      ),
    ]),
  ),
  row(
    'a clone of the fork',
    onPull([
      `git clone https://github.com/${FORK} pr\ncd pr\ngit push "https://bot:${BOT}@github.com/${OWN}" HEAD:try`,
    ]),
  ),
  row('a push in an action', {
    ...onPull([byBot({ ref: SHA }), { uses: LOCAL }]),
    ...composite(['git push origin HEAD:try']),
  }),
  row('a push in an action to a branch that the caller names', {
    ...onPull([byBot({ ref: SHA }), { uses: LOCAL, with: { branch: 'try' } }]),
    ...composite(['git config user.name bot\ngit push --force origin "HEAD:refs/heads/${{ inputs.branch }}"'], {
      inputs: { branch: { description: 'x' } },
    }),
  }),
  row('a checkout and a push in one action', {
    ...onPull([{ uses: LOCAL, with: { token: BOT } }]),
    ...composite([byBot({ ref: SHA }), 'git push origin HEAD:try']),
  }),
];

const NEAR = [
  row('a push of the base in an action', {
    ...onPull([byBot(), { uses: LOCAL }]),
    ...composite(['git commit -am x\ngit push origin HEAD:try']),
  }),
  row('an action that pushes to the fork', {
    ...onPull([byBot({ ref: SHA }), { uses: LOCAL }]),
    ...composite([`git push https://github.com/${FORK} HEAD:${BRANCH}`]),
  }),
  row(
    'the branch of the fork',
    onPull([byBot({ ref: BRANCH, repository: FORK }), `make\ngit commit -am x\ngit push origin HEAD:${BRANCH}`]),
  ),
  row(
    'the branch of the fork, by its address',
    onPull([byBot({ ref: SHA }), `git push https://github.com/${FORK} HEAD:${BRANCH}`]),
  ),
  row(
    'the branch of the fork, by gh',
    onComment([byBot(), `gh pr checkout ${COMMENTED}\nmake\ngit commit -am x\ngit push`]),
  ),
  row(
    'a remote of the fork',
    onPull([byBot({ ref: SHA }), `git remote add fork https://github.com/${FORK}\ngit push fork HEAD:main`]),
  ),
  row(
    'files made from the base',
    onPull([byBot(), 'make docs\ngit checkout -b docs\ngit commit -am docs\ngit push origin docs']),
  ),
  row(
    'another branch beside the checkout',
    onPull([
      byBot({ ref: SHA }),
      'make\ngit checkout gh-pages\ncp -r out .\ngit commit -am docs\ngit push origin gh-pages',
    ]),
  ),
  row(
    'a branch without history',
    onPull([byBot({ ref: SHA }), 'make\ngit switch --orphan site\ngit commit -m site\ngit push -f origin site']),
  ),
  row(
    'a repository of its own in a folder',
    onPull([
      byBot({ ref: SHA }),
      'make\ncd out\ngit init\ngit add .\ngit commit -m x\ngit push -f origin HEAD:gh-pages',
    ]),
  ),
  row(
    'a clone beside it',
    onPull([
      byBot({ ref: SHA }),
      `git clone "https://bot:${BOT}@github.com/${OWN}" site\ncd site\nmake\ngit commit -am x\ngit push origin HEAD:gh-pages`,
    ]),
  ),
  row(
    'a checkout of the base in another folder',
    onPull([
      checkout({ ref: SHA, path: 'pr' }),
      byBot({ path: 'site' }),
      'cd site\ngit commit -am x\ngit push origin HEAD:gh-pages',
    ]),
  ),
  row('a reset to the base', onPull([byBot({ ref: SHA }), 'git reset --hard origin/main\ngit push origin HEAD:try'])),
  row(
    'another repository',
    onPull([byBot({ ref: SHA }), `git push "https://bot:${BOT}@git.acme.example/mirror" HEAD:try`]),
  ),
  row(
    'a checkout of another repository',
    onPull([byBot({ repository: 'acme/site' }), 'git checkout -b x\ngit push origin x']),
  ),
  row(
    'a branch of the repository itself',
    onPull([byBot({ ref: BRANCH }), `git commit -am x\ngit push origin HEAD:${BRANCH}`]),
  ),
  row(
    'a fetch for a comparison',
    onPull([
      byBot(),
      `git fetch origin pull/${NUMBER}/head:pr\ngit diff main pr > diff\ngit commit -am diff\ngit push origin HEAD:diffs`,
    ]),
  ),
  row(
    'no fork',
    onPull([byBot({ ref: SHA }), 'git push origin HEAD:try'], {
      if: 'github.event.pull_request.head.repo.full_name == github.repository',
    }),
  ),
  row(
    "Dependabot's",
    onPull([byBot({ ref: SHA }), 'git push origin HEAD:try'], {
      if: "github.event.pull_request.user.login == 'dependabot[bot]'",
    }),
  ),
  row(
    "Renovate's",
    onPull([byBot({ ref: SHA }), 'git push origin HEAD:try'], {
      if: "github.event.pull_request.user.login == 'renovate[bot]'",
    }),
  ),
  row(
    "a member's comment",
    onComment([byBot(), `gh pr checkout ${COMMENTED} -b try\ngit push origin try`], { if: MEMBER }),
  ),
  row(
    'a permission that is looked up',
    onComment([
      byBot(),
      'test "$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$GITHUB_ACTOR/permission" --jq .permission)" = admin',
      `gh pr checkout ${COMMENTED} -b try\ngit push origin try`,
    ]),
  ),
  row(
    'a label for this commit',
    main(
      workflow({ pull_request_target: { types: ['labeled'] } }, [byBot({ ref: SHA }), 'git push origin HEAD:try'], {
        if: LABEL,
      }),
      CI,
    ),
  ),
  row(
    'a run by hand',
    main(
      workflow({ workflow_dispatch: { inputs: { pr: {} } } }, [
        byBot(),
        'gh pr checkout ${{ inputs.pr }} -b try\ngit push origin try',
      ]),
      CI,
    ),
  ),
  row(
    'a token that only reads',
    main(
      workflow(
        'pull_request_target',
        [checkout({ ref: SHA }), 'git push origin HEAD:main'],
        {},
        { permissions: { contents: 'read' } },
      ),
      CI,
    ),
  ),
  row(
    'a deleted branch',
    onPull([byBot({ ref: SHA }), 'git switch -c try\ngit push origin --delete try\ngit push origin :try']),
  ),
  row(
    'a ref of the base by gh',
    onPull([
      as(
        BOT,
        `gh api "repos/${OWN}/git/refs" -f ref=refs/heads/try -f "sha=\${{ github.event.pull_request.base.sha }}"`,
      ),
    ]),
  ),
  row('a ref in the fork', onPull([as(BOT, `gh api "repos/${FORK}/git/refs" -f ref=refs/heads/try -f sha=${SHA}`)])),
  row(
    'a ref of the base by a script',
    onPull([script('await github.rest.git.createRef({ ...context.repo, ref: "refs/heads/x", sha: context.sha });')]),
  ),
  row(
    'a run without privileges',
    main(workflow('pull_request', [checkout({ ref: SHA }), 'git push origin HEAD:try']), CI),
  ),
  row(
    'a guarded checkout',
    onPull([{ uses: 'actions/checkout@v7', with: { ref: SHA, token: BOT } }, 'git push origin HEAD:try']),
  ),
  row(
    'a guarded checkout, although it fails',
    onPull([
      { uses: 'actions/checkout@v7', with: { ref: SHA, token: BOT } },
      { run: 'git push origin HEAD:try', if: 'always()' },
    ]),
  ),
  row(
    'a clone of the fork',
    onPull([
      `git clone https://bot:${BOT}@github.com/${FORK} pr\ncd pr\nmake\ngit commit -am x\ngit push origin HEAD:try`,
    ]),
  ),
];

describe("an outsider's commit is pushed to the repository", () => {
  testSuite({ rules: ['confused-deputy-auto-merge'], atLeast: 'HIGH', attacks: ATTACKS, nearMisses: [] });
  testSuite({ rules: ['confused-deputy-auto-merge'], atLeast: 'INFO', attacks: [], nearMisses: NEAR });
});

describe('a push that starts nothing by itself', () => {
  const files = onPull([checkout({ ref: SHA }), 'git push origin HEAD:try']);
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'LOW',
    attacks: [row('with the job’s token', files)],
    nearMisses: [],
  });
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'MEDIUM',
    attacks: [],
    nearMisses: [row('of the job’s token', files)],
  });
});

describe('a push with a stored token', () => {
  const steps = [byBot({ ref: SHA }), 'git push origin HEAD:try'];
  const alone = main(workflow('pull_request_target', steps));
  const others = { branches: ['main', 'release/**', '!try'] };
  const elsewhere = {
    '.github/workflows/ci.yml': workflow({ push: others }, ['make'], {}, { permissions: { contents: 'write' } }),
  };
  const standing = onPull(steps, { if: LABEL });
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'MEDIUM',
    attacks: [
      row('and no workflow for it', alone),
      row('and workflows for other branches', { ...alone, ...elsewhere }),
      row('and a label that stays', standing),
    ],
    nearMisses: [],
  });
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'HIGH',
    attacks: [],
    nearMisses: [
      row('to no workflow', alone),
      row('to workflows for other branches', { ...alone, ...elsewhere }),
      row('behind a label that stays', standing),
    ],
  });
});
