import { expect, test } from 'vitest';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { agentsOf } from './catalog.ts';
import { exposureOf } from './exposure.ts';

function describe(step: string, on = 'issues', job = ''): string[] {
  const text = `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n${job}    steps:\n      - ${step.replaceAll('\n', '\n        ')}\n`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return [...stepsOf(repository.workflows[0] as Workflow)].flatMap((one) =>
    agentsOf(one).map((agent) => {
      const exposure = exposureOf(agent, repository);
      const who = exposure === undefined ? 'nobody' : exposure.byOutsider ? 'outsider' : 'member';
      return `${agent.vendor} ${agent.access} ${agent.tools.join('+')} ${who}`;
    }),
  );
}

const claude = (inputs: string): string[] => describe(`uses: anthropics/claude-code-action@v1\nwith:\n  ${inputs}`);

test('lets the action’s own check decide who can start it', () => {
  expect(claude('prompt: x')).toEqual(['claude writers  member']);
  expect(claude('allowed_non_write_users: "*"')).toEqual(['claude anyone  outsider']);
  expect(claude('allowed_non_write_users: a, b')).toEqual(['claude named  member']);
  expect(claude('allowed_bots: "*"')).toEqual(['claude named  member']);
  expect(describe('uses: fro-bot/agent@v0\nwith: { model: a/b, prompt: x }')).toEqual([
    'opencode writers shell+edit member',
  ]);
  expect(describe('uses: acme/agent@v0\nwith: { model: a/b, prompt: x }')).toEqual(['other anyone  outsider']);
  expect(describe('run: codex exec "x"')).toEqual(['codex anyone  outsider']);
  expect(describe('run: codex exec "x"', '{ issues: { types: [labeled] } }')).toEqual(['codex anyone  member']);
  expect(describe('run: codex exec "x"', 'push')).toEqual(['codex anyone  nobody']);
});

test('ignores conditions on the person for the event’s text, but not conditions on the event', () => {
  const member = "    if: github.event.issue.author_association == 'MEMBER'\n";
  expect(describe('run: codex exec "x"', 'issues', member)).toEqual(['codex anyone  member']);
  expect(describe('run: codex exec "x"', '[push, issues]', "    if: github.event_name == 'push'\n")).toEqual([
    'codex anyone  nobody',
  ]);
});

test('counts only shell families that can run anything as a shell', () => {
  for (const tools of ['Bash', 'Read,Bash', 'Bash(*)', 'Bash(gh:*)', 'Bash(git *)', 'Edit,Bash( npm : * )']) {
    expect(claude(`claude_args: '--allowedTools "${tools}"'`)[0]).toContain('shell');
  }
  for (const tools of ['Read', 'Bash(gh issue view:*)', 'Bash(ls:*)', 'BashOutput']) {
    expect(claude(`claude_args: '--allowedTools "${tools}"'`)[0]).not.toContain('shell');
  }
  expect(claude('claude_args: --disallowedTools Bash --model x')[0]).not.toContain('shell');
});

test('recognizes programs with a prompt, whatever starts them', () => {
  expect(describe('run: npx -y @anthropic-ai/claude-code@latest -p x --dangerously-skip-permissions')).toEqual([
    'claude anyone shell+edit outsider',
  ]);
  expect(describe('run: npm install -g @openai/codex && codex --version && claude mcp list')).toEqual([]);
});

test('bounds the cost of hostile text', () => {
  const spent = leastCpuTimeOf(500, () => {
    claude(`claude_args: '${'"allow":['.repeat(2_500)}${'Bash(gh'.repeat(2_500)}${' '.repeat(9_000)}'`);
    describe(`uses: google-github-actions/run-gemini-cli@v0\nwith: { settings: '${'"core":['.repeat(6_000)}' }`);
  });
  expect(spent).toBeLessThan(500);
});
