import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { refusalOfUnlisted } from './script-refusals.ts';

function refusal(script: string, settings: Readonly<Record<string, unknown>> = {}): string | undefined {
  const steps = [{ uses: 'actions/github-script@v8', with: { script }, ...settings }];
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
  [`/* if (!['ann'].includes(context.actor)) { core.setFailed('no') } */${MERGE}`, undefined],
  [`/** Merges. */\nif (!['ann'].includes(context.actor)) throw new Error('no')${MERGE}`, 'fails'],
  [`if (!['ann'].includes(context.actor)) core.setFailed('no');`, 'fails'],
  [`if (!['ann'].includes(context.actor)) core.setFailed('no');${MERGE}`, undefined],
  [`if (body === '/no') { core.info('no') } else if (!['ann'].includes(context.actor)) return;${MERGE}`, undefined],
  [`if (body === '/no') if (!['ann'].includes(context.actor)) return;${MERGE}`, undefined],
  [`if (body === '/no')\n  if (!['ann'].includes(context.actor)) return;${MERGE}`, undefined],
  [`for (const each of list) if (!['ann'].includes(context.actor)) throw each;${MERGE}`, undefined],
  [`if (!['ann'].includes(context.actor)) { if (isDry) { throw new Error('no') } }${MERGE}`, undefined],
  [`if (body === '') return;\nif (!['ann'].includes(context.actor)) throw new Error('no')${MERGE}`, 'ends'],
  [
    `${LIST}owners.push(context.payload.issue.user.login);\nif (!owners.includes(context.actor)) return;${MERGE}`,
    undefined,
  ],
  [`let may = ['ann'].includes(context.actor);\nmay ||= body === '/merge';\nif (!may) return;${MERGE}`, undefined],
  [`const may = ['ann'].includes(context.actor)\n  || body === '/merge';\nif (!may) return;${MERGE}`, undefined],
  [`const may = ['ann'].includes(context.actor)\nif (!may) return${MERGE}`, 'ends'],
])('a script that begins with %j: %s', (script, expected) => {
  expect(refusal(script)).toBe(expected);
});

it('does not take a failure that the job ignores for one', () => {
  const script = `if (!['ann'].includes(context.actor)) throw new Error('no')`;
  expect(refusal(script, { 'continue-on-error': true })).toBe('ends');
});

it('says nothing about other actions', () => {
  expect(refusal(`if (!['ann'].includes(context.actor)) return;`, { uses: 'acme/script@v1' })).toBeUndefined();
});
