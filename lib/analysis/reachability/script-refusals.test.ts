import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { refusalOfUnlisted } from './script-refusals.ts';

function refusal(script: string, uses = 'actions/github-script@v8'): string | undefined {
  const steps = [{ uses, with: { script } }];
  const text = `on: issue_comment\njobs: { a: { runs-on: x, steps: ${JSON.stringify(steps)} } }`;
  const [workflow] = createRepository([{ path: '.github/workflows/w.yml', text }]).workflows;
  const step = workflow?.jobs[0]?.steps[0];
  if (step === undefined) throw new Error('no step');
  return refusalOfUnlisted(step);
}

const MERGE = '\nawait github.rest.pulls.merge({ ...context.repo, pull_number: 1 });';
const WHO = 'const who = context.payload.comment.user.login;\n';
const LIST = "const owners = ['ann', 'bob'];\n";

it.each([
  [`${WHO}${LIST}if (!owners.includes(who)) return;${MERGE}`, 'ends'],
  [
    `${WHO}${LIST}const may = owners.includes(who);\nif (!may) {\n  console.log(\`\${who} may not\`);\n  return;\n}${MERGE}`,
    'ends',
  ],
  [`${WHO}const owners = [\n  'ann',\n  'bob',\n];\nif (!owners.includes(who)) { return }${MERGE}`, 'ends'],
  [`if (!['ann'].includes(context.actor)) throw new Error('no')${MERGE}`, 'fails'],
  [
    `const owners = new Set(["ann", "bob"])\nif (!owners.has(context.payload.sender.login)) { core.setFailed('no'); return; }${MERGE}`,
    'fails',
  ],
  [`${WHO}if (who !== 'ann' && who !== 'bob') return${MERGE}`, 'ends'],
  [
    `${WHO}${LIST}const stranger = !owners.includes(who);\nif (stranger || !context.payload.issue.pull_request) return;${MERGE}`,
    'ends',
  ],
  [
    `${LIST}if (!owners.includes(context.payload.comment.user.login.toLowerCase())) {\n  await github.rest.issues.createComment({ ...context.repo });\n  return;\n}${MERGE}`,
    'ends',
  ],
  [`${WHO}${LIST}${MERGE}\nif (!owners.includes(who)) return;`, undefined],
  [`${WHO}${LIST}if (!owners.includes(who)) console.log('unknown');${MERGE}`, undefined],
  [`${WHO}${LIST}if (owners.includes(who)) return;${MERGE}`, undefined],
  [`${WHO}${LIST}if (!owners.includes(who) && body !== '/merge') return;${MERGE}`, undefined],
  [`${WHO}if (who !== 'ann' && body !== '/merge') return;${MERGE}`, undefined],
  [`${WHO}${LIST}if (body === '/close') {\n  if (!owners.includes(who)) return;\n}${MERGE}`, undefined],
  [`${WHO}const owners = body.split(',');\nif (!owners.includes(who)) return;${MERGE}`, undefined],
  [`const who = context.payload.comment.body;\n${LIST}if (!owners.includes(who)) return;${MERGE}`, undefined],
  [
    `const who = context.payload.issue.title; // context.actor\n${LIST}if (!owners.includes(who)) return;${MERGE}`,
    undefined,
  ],
  [
    `const { comment, issue } = context.payload;\n${LIST}if (!owners.includes(issue.user.login)) return;${MERGE}`,
    undefined,
  ],
  [
    `const comment = context.payload.comment;\n${LIST}if (!owners.includes(comment.user.login)) return;${MERGE}`,
    'ends',
  ],
  [
    `const issue = context.payload.issue;\nconst who = issue.user.login;\n${LIST}if (!owners.includes(who)) return;${MERGE}`,
    undefined,
  ],
  [`${WHO}// if (!['ann'].includes(who)) return;${MERGE}`, undefined],
])('a script that begins with %j: %s', (script, expected) => {
  expect(refusal(script)).toBe(expected);
});

it('says nothing about other actions', () => {
  expect(refusal(`if (!['ann'].includes(context.actor)) return;`, 'acme/script@v1')).toBeUndefined();
});
