import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createRepository } from '#lib/workflow/repository.ts';
import { runsNoFiles } from './config.ts';

const SHA = 'a'.repeat(40);
const reads = '--max-turns 5 --allowedTools "Read,Grep,Glob,Bash(gh pr diff:*),Bash(gh pr comment:*)"';

function isBystander(inputs: object, ref = 'v1', event = 'issue_comment', action = 'claude-code-action'): boolean {
  const uses = `anthropics/${action}@${ref}`;
  const steps = [{ uses, with: { anthropic_api_key: 'k', ...inputs } }];
  const text = stringify({ on: event, jobs: { a: { 'runs-on': 'self-hosted', steps } } });
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const step = repository.workflows[0]?.jobs[0]?.steps[0];
  return step !== undefined && runsNoFiles(step, event);
}

describe('an agent beside a fork’s files', () => {
  it.each([
    ['tools that read', { claude_args: reads }],
    ['tools that read, in the older input', { allowed_tools: 'Read,Grep,Bash(git log:*)' }],
    ['tools that read, in its settings', { settings: '{"permissions": {"allow": ["Read", "Bash(git diff:*)"]}}' }],
    [
      'tools that comment',
      {
        claude_args:
          '--allowedTools "Read,mcp__github_inline_comment__create_inline_comment,mcp__github__get_pull_request"',
      },
    ],
  ])('runs none of them with %s', (_, inputs) => {
    expect(isBystander(inputs)).toBe(true);
  });

  it.each([
    ['people without write access', { claude_args: reads, allowed_non_write_users: '*' }],
    ['some people without write access', { claude_args: reads, allowed_non_write_users: 'somebody' }],
    ['any bot', { claude_args: reads, allowed_bots: '*' }],
    ['a shell', { claude_args: '--allowedTools "Read,Bash"' }],
    ['a shell without a limit', { claude_args: '--allowedTools "Read,Bash(*)"' }],
    ['a build', { claude_args: '--allowedTools "Read,Bash(make:*)"' }],
    ['commands that check out', { claude_args: '--allowedTools "Read,Bash(gh pr checkout:*)"' }],
    ['commands that add to a command', { claude_args: '--allowedTools "Read,Bash(catalog:*)"' }],
    ['editing', { claude_args: '--allowedTools "Read,Edit"' }],
    ['tools that push', { claude_args: '--allowedTools "Read,mcp__github__push_files"' }],
    ['tools of another server', { claude_args: '--allowedTools "Read,mcp__build__run"' }],
    ['no limits', { claude_args: `${reads} --dangerously-skip-permissions` }],
    ['no list', {}],
    ['a computed list', { claude_args: '--allowedTools "Read,${{ vars.TOOLS }}"' }],
    ['servers of a file', { claude_args: `${reads} --mcp-config mcp.json` }],
    ['settings of a file', { claude_args: reads, settings: '.github/claude.json' }],
    ['hooks', { claude_args: reads, settings: '{"hooks": {}}' }],
    ['plugins', { claude_args: reads, plugin_marketplaces: './plugins' }],
    ['a program of the workspace', { claude_args: reads, path_to_bun_executable: './bun' }],
  ])('may run them with %s', (_, inputs) => {
    expect(isBystander(inputs)).toBe(false);
  });

  it.each([
    ['v1', true],
    ['main', true],
    ['v1.0.89', true],
    ['v1.0.88', false],
    ['v1.0.70', false],
    ['beta', false],
    ['v0', false],
    [SHA, false],
  ])('depends on the release %s', (ref, expected) => {
    expect(isBystander({ claude_args: reads }, ref)).toBe(expected);
  });

  it('depends on the event and the action', () => {
    expect(isBystander({ claude_args: reads }, 'v1', 'pull_request_target')).toBe(true);
    expect(isBystander({ claude_args: reads }, 'v1', 'issues')).toBe(false);
    expect(isBystander({ claude_args: reads }, 'v1', 'issue_comment', 'claude-code-base-action')).toBe(false);
  });
});
