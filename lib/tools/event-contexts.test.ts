import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EVENT_CONTEXTS, EVENT_PREFIXES, EVENT_ROOTS } from '#lib/data/generated/event-contexts.generated.ts';

function textOf(event: string, path: string): string | undefined {
  const found = EVENT_CONTEXTS[event]?.find((context) => context.path === path);
  return found === undefined ? undefined : `${found.text} ${found.writer}`;
}

it('the generated table is fresh', () => {
  const script = ['lib/tools/run.mjs', 'generate-event-contexts', '--check'];
  expect(() => execFileSync(process.execPath, script, { stdio: 'pipe' })).not.toThrow();
});

describe('the table of events', () => {
  // The list of untrusted input in GitHub's own guidance on script injection.
  it.each([
    ['issues', 'issue.title', 'free outsider'],
    ['issues', 'issue.body', 'free outsider'],
    ['issue_comment', 'comment.body', 'free outsider'],
    ['pull_request_target', 'pull_request.title', 'free outsider'],
    ['pull_request_target', 'pull_request.body', 'free outsider'],
    ['pull_request_target', 'pull_request.head.ref', 'structured outsider'],
    ['pull_request_target', 'pull_request.head.label', 'structured outsider'],
    ['pull_request_target', 'pull_request.head.repo.default_branch', 'structured outsider'],
    ['pull_request_review', 'review.body', 'free outsider'],
    ['pull_request_review_comment', 'comment.body', 'free outsider'],
    ['discussion', 'discussion.title', 'free outsider'],
    ['discussion_comment', 'comment.body', 'free outsider'],
    ['gollum', 'pages.*.page_name', 'free outsider'],
    ['push', 'commits.*.message', 'free contributor'],
    ['push', 'head_commit.author.name', 'free contributor'],
    ['workflow_run', 'workflow_run.head_branch', 'structured outsider'],
    ['workflow_run', 'workflow_run.head_commit.message', 'free outsider'],
    ['workflow_run', 'workflow_run.display_title', 'free outsider'],
    ['fork', 'forkee.name', 'structured outsider'],
  ])('%s: %s is %s text', (event, path, text) => {
    expect(textOf(event, path)).toBe(text);
  });

  it.each([
    ['issues', 'issue.number'],
    ['pull_request_target', 'pull_request.head.sha'],
    ['pull_request_target', 'pull_request.user.login'],
    ['pull_request_target', 'action'],
    ['push', 'after'],
    ['workflow_run', 'workflow_run.id'],
    ['issue_comment', 'comment.html_url'],
  ])('%s: %s is fixed', (event, path) => {
    expect(textOf(event, path)).toBeUndefined();
  });

  it('has every event started by a webhook, its properties, and the parents of a value', () => {
    expect(Object.keys(EVENT_CONTEXTS)).toEqual(
      expect.arrayContaining(['pull_request', 'pull_request_target', 'schedule']),
    );
    expect(Object.keys(EVENT_CONTEXTS).length).toBeGreaterThan(30);
    expect(EVENT_ROOTS['issues']).toContain('issue');
    expect(EVENT_PREFIXES['issues']).toContainEqual({ path: '', text: 'free', writer: 'outsider' });
    expect(EVENT_PREFIXES['issues']).toContainEqual({ path: 'issue', text: 'free', writer: 'outsider' });
  });
});
