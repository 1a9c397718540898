import { type Agent, agentsOf } from '#lib/analysis/agents/catalog.ts';
import { exposureOf, holdingsOf } from '#lib/analysis/agents/exposure.ts';
import { outsideInput } from '#lib/analysis/agents/input.ts';
import { narrowerThan, type ToolPermission, toolPermissionsOf } from '#lib/analysis/agents/tools.ts';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { factOf } from '../shared/shared-facts.ts';
import { hasAgents } from '../shared/when.ts';

type Message = 'outsider' | 'member';

export const aiAgentExcessiveTools = defineRule({
  id: 'ai-agent-excessive-tools',
  meta: {
    title: 'AI agent that reads untrusted text has dangerous tools',
    why: 'Anything an agent reads can instruct it. How much harm that does depends on three things in the job: what the agent reads, which tools it may use, and which credentials the job holds. An agent that reads untrusted text with a shell and a secret or write token in reach combines all three.',
    attack:
      'Text in an issue or pull request tells the agent to run a command. Through the allowed tool, the agent reads the job’s secrets from memory, or pushes, merges and dispatches workflows with the job’s token.',
    recommendation:
      'Allow only the calls that the task needs (`Bash(gh issue view:*)`), never a bare shell, `gh:*` or `git:*`. Give the job no write scope and no secret except the model’s API key, and let a second job post the validated answer.',
    limits:
      'Understands the tool lists of Claude Code, Gemini CLI and Copilot in arguments and inputs. Settings files in the repository, Codex profiles and the tools of MCP servers are not read. An agent’s app token may allow more than the job’s token.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://genai.owasp.org/llmrisk/llm062025-excessive-agency/',
      'https://docs.claude.com/en/docs/claude-code/iam',
      'https://simonwillison.net/2025/Jun/16/the-lethal-trifecta/',
    ],
    messages: {
      outsider:
        '{{agent}} reads {{source}}, which outsiders can write, and may use {{tools}}. Injected instructions can make it {{effect}}.',
      member:
        '{{agent}} is started by trusted users but reads {{source}}, which outsiders can write, and may use {{tools}}. Injected instructions can make it {{effect}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { contents: write, issues: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    allowed_non_write_users: '*'
                    prompt: Triage issue \${{ github.event.issue.number }}.
                    # expect: outsider
                    claude_args: --allowedTools "Read,Bash(gh:*),Bash(git log:*)"
        `,
        fixed: yaml`
          on:
            issues: { types: [opened] }
          permissions: { contents: write, issues: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    allowed_non_write_users: '*'
                    prompt: Triage issue \${{ github.event.issue.number }}.
                    # expect: outsider
                    claude_args: --allowedTools "Read,Bash(gh issue view:*),Bash(gh pr view:*),Bash(gh pr diff:*),Bash(git log:*)"
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
          permissions: { contents: read, issues: write }
          jobs:
            answer:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider
                - uses: google-github-actions/run-gemini-cli@v0
                  env: { DEPLOY_KEY: "\${{ secrets.DEPLOY_KEY }}" }
                  with:
                    prompt: 'Answer: \${{ github.event.comment.body }}'
                # expect: outsider
                - uses: google-github-actions/run-gemini-cli@v0
                  with:
                    prompt: 'Answer: \${{ github.event.comment.body }}'
                    settings: '{"tools": {"core": ["run_shell_command(gh)", "web_fetch", "write_file"]}}'
                - env:
                    BODY: \${{ github.event.comment.body }}
                  run: |
                    # expect: outsider
                    claude -p "Answer $BODY" --allowedTools "Bash,mcp__jira__create"
                    # expect: outsider
                    copilot -p "Answer $BODY" --allow-tool 'shell(npm:*)' --allow-tool write
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: member
                    claude_args: '--allowedTools Bash(*) WebFetch'
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { contents: write, issues: write }
          jobs:
            narrow:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    allowed_non_write_users: '*'
                    prompt: Triage issue \${{ github.event.issue.number }}.
                    claude_args: |
                      --model opus
                      --allowedTools "Read,Grep,Bash(gh issue view:*),Bash(gh label list:*),mcp__github__get_issue"
                      --disallowedTools "Bash,WebFetch"
                - uses: google-github-actions/run-gemini-cli@v0
                  with:
                    prompt: 'Answer: \${{ github.event.issue.body }}'
                    settings: '{"coreTools": ["read_file", "run_shell_command(gh issue list)"]}'
                - uses: actions/ai-inference@v2
                  with: { prompt: 'Answer: \${{ github.event.issue.body }}' }
            trusted:
              if: github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                - run: claude -p "Update the docs" --allowedTools Bash
        `,
      },
      {
        yaml: yaml`
          on: { schedule: [{ cron: '0 0 * * 1' }] }
          permissions: { contents: write }
          jobs:
            docs:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    prompt: Update the docs
                    claude_args: --dangerously-skip-permissions
        `,
      },
    ],
  },
  when: hasAgents,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const step of stepsOf(workflow)) {
    for (const agent of agentsOf(step)) {
      const report = judge(agent, repository);
      if (report !== undefined) yield report;
    }
  }
}

const WHEN_TRUSTED_START: Readonly<Record<Severity, Severity>> = {
  HIGH: 'LOW',
  MEDIUM: 'LOW',
  LOW: 'INFO',
  INFO: 'INFO',
};

function judge(agent: Agent, repository: Repository): Report<Message> | undefined {
  const grants = toolPermissionsOf(agent);
  if (grants.length === 0) return undefined;
  const exposure = exposureOf(agent, repository);
  const input = exposure === undefined ? undefined : outsideInput(agent, exposure.events, repository);
  const effect = worstEffect(agent, grants);
  if (exposure === undefined || input === undefined || effect === undefined) return undefined;
  const spans = grants.flatMap(({ span }) => span ?? []);
  return {
    message: exposure.byOutsider ? 'outsider' : 'member',
    data: {
      agent: agent.name,
      source: input.source,
      tools: joinList([...new Set(grants.map(({ pattern }) => pattern))]),
      effect: effect.what,
    },
    at: agent.step,
    facts: [factOf('agent', agent.step)],
    span: spans[0] ?? agent.span,
    severity: exposure.byOutsider ? effect.severity : WHEN_TRUSTED_START[effect.severity],
    confidence: input.certain ? 'high' : 'medium',
    fix: fixOf(grants),
    attributes: {
      vendor: agent.vendor,
      grants: [...new Set(grants.map(({ gives }) => gives))],
      effect: effect.kind,
      outsider: exposure.byOutsider,
    },
  };
}

interface Effect {
  readonly kind: 'secrets' | 'code' | 'conversation' | 'identity' | 'model';
  readonly what: string;
  readonly severity: Severity;
}

const STRONG_SCOPES = ['*', 'contents', 'actions', 'packages', 'deployments', 'pages', 'attestations'];

/** Ignores file edits alone, and OIDC without a shell, which some agent actions need. */
function worstEffect(agent: Agent, grants: readonly ToolPermission[]): Effect | undefined {
  const gives = new Set(grants.map((grant) => grant.gives));
  const runs = gives.has('commands');
  const acts = runs || gives.has('repository');
  const sends = acts || gives.has('web') || gives.has('server');
  if (!sends) return undefined;
  const { secrets, scopes } = holdingsOf(agent);
  if (secrets.length > 0) {
    const what = `exfiltrate ${secrets.includes('*') ? 'the job’s secrets' : joinList(secrets.map((name) => name.toUpperCase()))}`;
    // Without a shell, only secrets stored in a file can be read.
    return { kind: 'secrets', what, severity: runs ? 'HIGH' : 'MEDIUM' };
  }
  const strong = STRONG_SCOPES.filter((scope) => scopes.has(scope));
  if (acts && strong.length > 0) {
    const what = strong.includes('*') ? 'everything' : joinList(strong);
    return { kind: 'code', what: `use the token’s write access to ${what}`, severity: 'HIGH' };
  }
  if (acts && scopes.has('default')) {
    return { kind: 'code', what: 'use the job token, which no permissions block limits', severity: 'MEDIUM' };
  }
  if (runs && scopes.has('id-token')) {
    return { kind: 'identity', what: 'request OIDC tokens in the repository’s name', severity: 'MEDIUM' };
  }
  if (acts && scopes.has('pull-requests')) {
    return {
      kind: 'conversation',
      what: 'approve, close and label pull requests in the repository’s name',
      severity: 'LOW',
    };
  }
  if (acts && scopes.size > 0) {
    return { kind: 'conversation', what: `write to ${joinList([...scopes])}`, severity: 'LOW' };
  }
  return runs ? { kind: 'model', what: 'run up the bill for the model', severity: 'LOW' } : undefined;
}

function fixOf(grants: readonly ToolPermission[]): Fix | undefined {
  const dangerous = grants.filter(({ gives }) => gives !== 'files');
  const edits = dangerous.flatMap((grant) => {
    const text = narrowerThan(grant);
    return text === undefined || grant.span === undefined ? [] : [{ span: grant.span, text }];
  });
  return edits.length === dangerous.length && edits.length > 0 ? { safety: 'review', edits } : undefined;
}
