import { describe } from 'vitest';
import { row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const CHECKOUT: StepLike = { uses: 'actions/checkout@v7' };
const OF_FORK: StepLike = {
  uses: 'actions/checkout@v7',
  with: { ref: '${{ github.event.pull_request.head.sha }}', path: 'pr', 'allow-unsafe-pr-checkout': true },
};
const SHOWN = 'echo ${{ steps.a.outputs.v }}';

const found = (name: string, run: string, on = 'issue_comment', checkout = CHECKOUT): ReturnType<typeof row> =>
  row(
    name,
    workflow(on, [
      checkout,
      { id: 'a', env: { B: '${{ github.event.comment.body || github.event.pull_request.title }}' }, run },
      SHOWN,
    ]),
  );
const prints = (name: string, command: string): ReturnType<typeof row> =>
  found(name, `echo "v=$(${command})" >> "$GITHUB_OUTPUT"`);
const inFork = (name: string, command: string): ReturnType<typeof row> =>
  found(name, `echo "v=$(${command})" >> "$GITHUB_OUTPUT"`, 'pull_request_target', OF_FORK);

const ATTACKS = [
  prints('text that grep searches', 'echo "$B" | grep -E "^run"'),
  prints('text that grep searches for itself', 'grep "$B" <<< "$B"'),
  prints('a part of the text', 'echo "$B" | grep -o "[a-z].*"'),
  prints('text that a file limits', 'grep -f names.txt <<< "$B"'),
  prints('a label that grep prints', 'cat x | grep -H --label="$B" -m1 .'),
  prints('a pattern without quotes', 'ls prompts | grep $B'),
  prints('a value that jq inserts', `jq -r --arg k "$B" '{name: $k}' names.json`),
  prints('a value that jq prints if nothing is found', `jq -r --arg k "$B" '.[$k] // $k' names.json`),
  prints('a value that jq puts into a text', `jq -r --arg k "$B" '.[$k] | "\\(.) \\($k)"' names.json`),
  prints('a key that jq sets', `jq --arg k "$B" '.[$k] = 1' names.json`),
  prints('a list of the value', `jq -r --arg k "$B" '[$k] | first' names.json`),
  prints('all arguments of jq', `jq -r --arg k "$B" '.[$k], $ARGS.named.k' names.json`),
  prints('a program of jq with the value', 'jq -r ".$B" names.json'),
  prints('a value of jq without quotes', `jq -r --arg k $B '.[$k]' names.json`),
  prints('a value for a program of jq in a file', 'jq -rn --arg k "$B" -f names.jq'),
  prints('a value for a program of awk in a file', 'awk -v k="$B" -f names.awk names.txt'),
  prints('a value that awk prints', `awk -v k="$B" '$1 == k { print k, $2 }' names.txt`),
  prints('a program of awk with the value', 'awk "/$B/ { print \\$2 }" names.txt'),
  prints('a part of the value that awk cuts', 'echo "$B" | awk \'{ print $1 }\''),
  found(
    'a variable that holds the text',
    'v="$(grep -x "$B" names.txt || echo "$B")"\necho "v=$v" >> "$GITHUB_OUTPUT"',
  ),
  found('what a pipe writes', 'echo "v=$B" | grep -i "v=$B" >> "$GITHUB_OUTPUT"'),
  inFork('names of a fork’s files', 'ls pr/prompts | grep -- "$B" | head -1'),
  inFork('names of a fork’s files that find prints', 'find pr -name "*.md"'),
  inFork('a line of a fork’s file', 'grep -- "$B" pr/names.txt'),
  inFork('a value of a fork’s file', `jq -r --arg k "$B" '.[$k]' pr/names.json`),
];

const NEAR = [
  prints('names of files that grep selects', 'ls prompts | grep -- "$B" | head -1'),
  prints('names of files that a pattern selects', 'ls prompts | grep -E "^$B\\.(md|txt)$" | head -n1 || true'),
  prints('names of files that find selects', 'find prompts -name "$B.md" -print -quit'),
  prints('names of files that find and grep select', 'find prompts -type f | grep -i "/$B$" | sort | head -1'),
  prints('a line of a file', 'grep -m 1 -x "$B" names.txt'),
  prints('a line of a file by a named pattern', 'grep -F -e "$B" names.txt | cut -d: -f2'),
  prints('a line of a file by a long option', 'grep --regexp="$B" names.txt'),
  prints('a part of a line of a file', 'grep -o "$B=.*" names.txt'),
  prints('a line of a list in the script', 'printf "%s\\n" one two | grep -x "$B"'),
  prints('a value that jq looks up', `jq -r --arg k "$B" '.[$k]' names.json`),
  prints('a value below a key', `jq -r --arg k "$B" '.names[$k].path // empty' names.json`),
  prints('a value that jq selects', `jq -r --arg k "$B" '.[] | select(.name == $k) | .path' names.json`),
  prints(
    'a value that jq selects by its start',
    `cat names.json | jq -r --arg k "$B" 'map(select(.id | startswith($k)))[0].id'`,
  ),
  prints('a value that awk selects', `awk -v k="$B" '$1 == k { print $2 }' names.txt`),
  prints('a value that awk selects by a pattern', `awk -F: -v k="$B" '$1 ~ k { print $2; exit }' names.txt`),
  found(
    'a value that a case chooses',
    'case "$B" in\n/a*) v=one ;;\n*) v=two ;;\nesac\necho "v=$v" >> "$GITHUB_OUTPUT"',
  ),
  found('a variable with a line of a file', 'v="$(grep -x "$B" names.txt || true)"\necho "v=$v" >> "$GITHUB_OUTPUT"'),
  found('what a pipe writes of a file', 'cat names.txt | grep "$B" >> "$GITHUB_OUTPUT"'),
];

describe('values that outsiders’ text selects', () => {
  testSuite({ rules: ['template-injection'], attacks: ATTACKS, nearMisses: NEAR });
});
