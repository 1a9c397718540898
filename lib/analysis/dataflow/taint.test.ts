import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { taintsIn } from './taint.ts';
import type { Taint } from './taint-order.ts';
import { worstTaint } from './taint-order.ts';

function repositoryOf(files: Record<string, string>) {
  return createRepository(
    Object.entries(files).map(([name, text]) => ({
      path: name.includes('/') ? name : `.github/workflows/${name}`,
      text,
    })),
  );
}

function taints(files: Record<string, string>, workflow = 'a.yml'): string[] {
  const repository = repositoryOf(files);
  const definition = repository.workflowAt(`.github/workflows/${workflow}`);
  const step = definition?.jobs.at(-1)?.steps.at(-1);
  if (step?.run === undefined) throw new Error('no script');
  return [...new Set(taintsIn(step.run, step, repository).map(show))].sort();
}

function show({ writer, source, event, via, text }: Taint): string {
  return [`${writer}/${text} ${source}@${event}`, ...[...via].reverse()].join(' → ');
}

function workflow(on: string, steps: string, job = ''): string {
  return `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n${job}    steps:\n${steps}`;
}

const MEMBER = 'contains(fromJSON(\'["OWNER", "MEMBER"]\'), github.event.comment.author_association)';

describe('taintsIn traces a value from its source', () => {
  it('directly from the event', () => {
    expect(taints({ 'a.yml': workflow('issues', '      - run: echo ${{ github.event.issue.title }}\n') })).toEqual([
      'outsider/free github.event.issue.title@issues',
    ]);
  });

  it('only under events that can contain it', () => {
    const steps = '      - run: echo ${{ github.event.issue.title }}\n';
    expect(taints({ 'a.yml': workflow('push', steps) })).toEqual([]);
    expect(taints({ 'a.yml': workflow('[push, issue_comment]', steps) })).toEqual([
      'outsider/free github.event.issue.title@issue_comment',
    ]);
  });

  it.each([
    ["grep -c '\\.md$'", []],
    ["grep -vc '\\.md$' || true", []],
    ['grep --count x', []],
    ["grep '\\.md$'", ['outsider/free the file names that git diff prints@pull_request_target → steps.q.outputs.v']],
  ])('from file names through %s', (filter, expected) => {
    const checkout =
      '      - uses: actions/checkout@v4.1.0\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n';
    const list = `      - id: q\n        run: |\n          names=$(git diff --name-only origin/main)\n          echo "v=$(echo "$names" | ${filter})" >> "$GITHUB_OUTPUT"\n`;
    const steps = `${checkout}${list}      - run: echo "\${{ steps.q.outputs.v }}"\n`;
    expect(taints({ 'a.yml': workflow('pull_request_target', steps) })).toEqual(expected);
  });

  it.each([
    ['fromJSON(inputs.github).event.issue.title', ['outsider/free github.event.issue.title@issues → inputs.github']],
    ['fromJSON(inputs.github).event_name', []],
    ['fromJSON(inputs.github).event.issue.number', []],
    ["format('{0}', fromJSON(inputs.github).run_id)", []],
    ['inputs.github', ['outsider/free github@issues → inputs.github']],
  ])('through %s of a payload passed on as JSON', (read, expected) => {
    const caller = `on: issues\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n    with: { github: "\${{ toJSON(github) }}" }\n`;
    const called = workflow(
      '{ workflow_call: { inputs: { github: { type: string } } } }',
      `      - run: echo "\${{ ${read} }}"\n`,
    );
    expect(taints({ 'a.yml': caller, 'b.yml': called }, 'b.yml').filter((each) => each.startsWith('outsider'))).toEqual(
      expected,
    );
  });

  it.each([
    ['[.[] | select(.head.ref == env.BRANCH) | .number]', []],
    ['.[0].number', []],
    ['.[] | select(.title | test("x")) | .head.sha', []],
    ['.[0].head.ref', ['outsider/ref the output of gh api@workflow_run → steps.q.outputs.v']],
    ['.[0].title', ['outsider/free the output of gh api@workflow_run → steps.q.outputs.v']],
  ])('from what gh api answers to %s', (filter, expected) => {
    const query = `      - id: q\n        run: echo "v=$(gh api repos/a/b/pulls --jq '${filter}')" >> "$GITHUB_OUTPUT"\n`;
    const steps = `${query}      - run: echo "\${{ steps.q.outputs.v }}"\n`;
    expect(taints({ 'a.yml': workflow('{ workflow_run: { workflows: [x] } }', steps) })).toEqual(expected);
  });

  const route = (path: string): string =>
    `      - { id: q, uses: octokit/request-action@v2, with: { route: 'GET /repos/{owner}/{repo}/${path}' } }\n`;
  const script = (body: string): string =>
    `      - id: q\n        uses: actions/github-script@v8\n        with:\n          script: |\n${body.replaceAll(/^/gm, '            ')}\n`;
  const shell = (body: string): string => `      - id: q\n        run: |\n${body.replaceAll(/^/gm, '          ')}\n`;
  const pull = 'await github.rest.pulls.get({ owner, repo, pull_number: number });';

  it.each([
    [route('pulls/{number}'), 'fromJson(steps.q.outputs.data).head.ref', 'ref head.ref of octokit/request-action data'],
    [route('pulls'), "fromJSON(steps.q.outputs.data)[0]['title']", 'free 0.title of octokit/request-action data'],
    [route('pulls/{number}'), 'steps.q.outputs.data', 'free octokit/request-action data'],
    [route('pulls?state=open'), 'steps.q.outputs.data', 'free octokit/request-action data'],
    [route('pulls/{number}'), 'fromJson(steps.q.outputs.data).head.sha', undefined],
    [route('pulls/{number}'), 'fromJson(steps.q.outputs.data).base.ref', undefined],
    [route('branches/main'), 'fromJson(steps.q.outputs.data).head.ref', undefined],
    [route('pulls/{number}'), 'steps.q.outputs.status', undefined],
    [
      script(`const pr = ${pull}\nreturn pr.data;`),
      'fromJSON(steps.q.outputs.result).head.ref',
      'ref head.ref of what a script looks up',
    ],
    [
      script(`const { data: pr } = ${pull}\ncore.setOutput('pr', JSON.stringify(pr));`),
      'fromJSON(steps.q.outputs.pr).title',
      'free title of what a script looks up',
    ],
    [script(`const { data } = ${pull}\nreturn data`), 'fromJSON(steps.q.outputs.result).number', undefined],
    [
      script(`const { data: pr } = ${pull}\nreturn {\n  branch: pr.head.ref,\n  sha: pr.head.sha,\n};`),
      'fromJSON(steps.q.outputs.result).branch',
      'ref the head.ref that a script looks up',
    ],
    [
      script(`const pr = ${pull}\nreturn { ref: pr.data.head.ref, sha: pr.data.head.sha }`),
      'fromJSON(steps.q.outputs.result).ref',
      'ref the head.ref that a script looks up',
    ],
    [
      script(`const pr = ${pull}\nreturn { ref: pr.data.head.ref, sha: pr.data.head.sha }`),
      'fromJSON(steps.q.outputs.result).sha',
      undefined,
    ],
    [
      script(
        `const { data: who } = await github.rest.repos.getCollaboratorPermissionLevel({ owner, repo });\nreturn who`,
      ),
      'fromJSON(steps.q.outputs.result).title',
      undefined,
    ],
    [
      shell('echo "pr=$(gh api repos/a/b/pulls/1)" >> "$GITHUB_OUTPUT"'),
      'fromJSON(steps.q.outputs.pr).head.label',
      'ref head.label of the output of gh api',
    ],
    [
      shell('PR=$(gh pr view 1 --json title,headRefName)\necho "pr=$PR" >> "$GITHUB_OUTPUT"'),
      'fromJSON(steps.q.outputs.pr).headRefName',
      'ref headRefName of the output of gh pr view',
    ],
    [
      shell('PR=$(gh pr view 1 --json number,headRefOid)\necho "pr=$PR" >> "$GITHUB_OUTPUT"'),
      'steps.q.outputs.pr',
      undefined,
    ],
    [
      shell('echo "pr=$(gh api repos/a/b/pulls/1 | jq -c .)" >> "$GITHUB_OUTPUT"'),
      'steps.q.outputs.pr',
      'free the output of gh api',
    ],
    [
      shell(
        `echo "pr=$(curl -s https://api.github.com/repos/a/b/pulls/1 | grep '"sha"' | head -1)" >> "$GITHUB_OUTPUT"`,
      ),
      'steps.q.outputs.pr',
      undefined,
    ],
    [
      shell('PR=$(gh api repos/a/b/pulls/1)\necho "sha=$(echo "$PR" | jq -r .head.sha)" >> "$GITHUB_OUTPUT"'),
      'steps.q.outputs.sha',
      undefined,
    ],
    [
      script(
        `return {\n  title: context.payload.workflow_run.display_title,\n  id: context.payload.workflow_run.id,\n};`,
      ),
      'fromJSON(steps.q.outputs.result).title',
      'free github.event.workflow_run.display_title',
    ],
    [
      script(`return { title: context.payload.workflow_run.display_title, id: context.payload.workflow_run.id }`),
      'fromJSON(steps.q.outputs.result).id',
      undefined,
    ],
  ])('from whole answers of the API: %s %s', (step, read, expected) => {
    const steps = `${step}      - run: echo "\${{ ${read} }}"\n`;
    const found = taints({ 'a.yml': workflow('{ workflow_run: { workflows: [x] } }', steps) });
    expect(found.map((each) => each.replace(/@.*/, '').replace('outsider/', ''))).toEqual(
      expected === undefined ? [] : [expected],
    );
  });

  it.each([
    ['issue_comment', MEMBER, 'gh issue view 1 --json body', ['the output of gh issue view']],
    [
      'issue_comment',
      `github.event.repository.private || ${MEMBER}`,
      'gh pr view 1 --json title',
      ['the output of gh pr view'],
    ],
    ['issue_comment', MEMBER, 'gh_retry pr view 1 --json title --jq .title', ['the output of gh pr view']],
    ['discussion_comment', MEMBER, 'gh api repos/a/b/issues/1', ['the output of gh api']],
    ['issue_comment', MEMBER, 'gh issue view 1 --json number', []],
    ['issue_comment', MEMBER, 'notgh issue view 1 --json body', []],
    ['issue_comment', "github.event_name == 'push'", 'gh issue view 1 --json body', []],
    ['push', 'always()', 'gh issue view 1 --json body', []],
  ])('from what a member’s run fetches: %s, %s, %s', (on, condition, command, expected) => {
    const steps = `${shell(`echo "v=$(${command})" >> "$GITHUB_OUTPUT"`)}      - run: echo "\${{ steps.q.outputs.v }}"\n`;
    const found = taints({ 'a.yml': workflow(on, steps, `    if: ${JSON.stringify(condition)}\n`) });
    expect(found.map((each) => each.replace(/@.*/, '').replace('outsider/free ', ''))).toEqual(expected);
  });

  it('through outputs that form exponentially many paths', () => {
    const names = Array.from({ length: 40 }, (_, index) => index);
    const output = (level: number, index: number): string => `needs.j${level}.outputs.x${index}`;
    const read = (level: number, index: number): string => `\${{ ${output(level, index)} }}`;
    const jobs = [1, 2, 3].map((level) => {
      const harmless = names.slice(1).map((index) => read(level - 1, index));
      const outputs = names.map(
        (index) => `      x${index}: "${index === 0 ? read(level - 1, 0) : harmless.join('')}"\n`,
      );
      return `  j${level}:\n    needs: j${level - 1}\n    runs-on: x\n    outputs:\n${outputs.join('')}    steps: [run: make]\n`;
    });
    const first =
      '  j0:\n    runs-on: x\n    outputs: { x0: "${{ github.event.issue.title }}" }\n    steps: [run: make]\n';
    const all = [...names].reverse().map((index) => output(3, index));
    const last = `  last:\n    needs: j3\n    runs-on: x\n    steps:\n      - run: echo \${{ ${all.join(' || ')} }}\n`;
    expect(taints({ 'a.yml': `on: issues\njobs:\n${first}${jobs.join('')}${last}` })).toEqual([
      expect.stringMatching(/^outsider\/free github\.event\.issue\.title@issues → /),
    ]);
  });

  it('excludes values of a fixed shape', () => {
    const fixed = [
      'sha',
      'actor',
      'run_id',
      'repository',
      'event.issue.number',
      'event.issue.user.login',
      'event.action',
    ];
    const steps = `      - run: echo ${fixed.map((name) => `\${{ github.${name} }}`).join(' ')}\n`;
    expect(taints({ 'a.yml': workflow('issues', steps) })).toEqual([]);
  });

  it('through env of the step, the job and the workflow', () => {
    const text = workflow(
      'issues',
      '      - run: echo ${{ env.A }} ${{ env.B }} ${{ env.C }}\n        env: { A: "${{ github.event.issue.body }}" }\n',
      '    env: { B: "${{ github.event.issue.title }}" }\n',
    );
    expect(taints({ 'a.yml': `env: { C: "\${{ github.event.issue.title }}" }\n${text}` })).toEqual([
      'outsider/free github.event.issue.body@issues → env.a',
      'outsider/free github.event.issue.title@issues → env.b',
      'outsider/free github.event.issue.title@issues → env.c',
    ]);
  });

  it('through an output written by a script, with an expression or a variable', () => {
    const steps = `      - id: x
        env: { TITLE: "\${{ github.event.issue.title }}" }
        run: |
          echo "one=\${{ github.event.issue.body }}" >> $GITHUB_OUTPUT
          echo "two=$TITLE" >> "$GITHUB_OUTPUT"
          echo "three=fixed" >> "$GITHUB_OUTPUT"
      - run: echo \${{ steps.x.outputs.NAME }}
`;
    const at = (name: string): string[] => taints({ 'a.yml': workflow('issues', steps.replace('NAME', name)) });
    expect(at('one')).toEqual(['outsider/free github.event.issue.body@issues → steps.x.outputs.one']);
    expect(at('two')).toEqual(['outsider/free github.event.issue.title@issues → $TITLE → steps.x.outputs.two']);
    expect(at('three')).toEqual([]);
  });

  it('through the outputs of a job', () => {
    const text = `on: issues
jobs:
  first:
    runs-on: ubuntu-latest
    outputs: { title: "\${{ steps.x.outputs.title }}" }
    steps:
      - id: x
        run: echo "title=\${{ github.event.issue.title }}" >> $GITHUB_OUTPUT
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ needs.first.outputs.title }}
`;
    expect(taints({ 'a.yml': text })).toEqual([
      'outsider/free github.event.issue.title@issues → steps.x.outputs.title → needs.first.outputs.title',
    ]);
  });

  it('through a computed matrix, but not a literal one', () => {
    const at = (matrix: string): string[] =>
      taints({
        'a.yml': workflow(
          'issues',
          '      - run: echo ${{ matrix.x }}\n',
          `    strategy: { matrix: { x: ${matrix} } }\n`,
        ),
      });
    expect(at('"${{ fromJSON(github.event.issue.body) }}"')).toEqual([
      'outsider/free github.event.issue.body@issues → matrix.x',
    ]);
    expect(at('[1, 2]')).toEqual([]);
  });

  it('through the input of a called workflow, from its callers in the repository', () => {
    const called = `on:\n  workflow_call:\n    inputs:\n      title: { type: string }\n      count: { type: number }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo \${{ inputs.title }} \${{ inputs.count }}\n`;
    const caller = `on: issues\njobs:\n  call:\n    uses: ./.github/workflows/a.yml\n    with: { title: "\${{ github.event.issue.title }}" }\n`;
    expect(taints({ 'a.yml': called })).toEqual(['caller/free inputs.title@workflow_call']);
    expect(taints({ 'a.yml': called, 'b.yml': caller })).toEqual([
      'caller/free inputs.title@workflow_call',
      'outsider/free github.event.issue.title@issues → inputs.title',
    ]);
  });

  it('from outputs of known actions, if outsiders reach them', () => {
    const steps =
      '      - id: files\n        uses: tj-actions/changed-files@v1\n      - run: lint ${{ steps.files.outputs.all_changed_files }}\n';
    expect(taints({ 'a.yml': workflow('push', steps) })).toEqual([]);
    expect(taints({ 'a.yml': workflow('pull_request_target', steps) })).toHaveLength(1);
  });

  it('terminates when names refer to each other', () => {
    const text = `env: { A: "\${{ env.B }}", B: "\${{ env.A }}" }\n${workflow('issues', '      - run: echo ${{ env.A }}\n')}`;
    expect(taints({ 'a.yml': text })).toEqual([]);
  });
});

describe('worstTaint', () => {
  const base: Taint = {
    source: 's',
    text: 'free',
    writer: 'outsider',
    reach: 'outsider-privileged',
    event: 'issues',
    via: [],
  };
  it('prefers outsiders, then privilege, then freedom of the text', () => {
    const fork: Taint = { ...base, reach: 'outsider-unprivileged' };
    const structured: Taint = { ...base, text: 'structured' };
    const member: Taint = { ...base, writer: 'member' };
    expect(worstTaint([member, fork, structured, base])).toBe(base);
    expect(worstTaint([member, fork, structured])).toBe(structured);
    expect(worstTaint([member, fork])).toBe(fork);
    expect(worstTaint([])).toBeUndefined();
  });
});
