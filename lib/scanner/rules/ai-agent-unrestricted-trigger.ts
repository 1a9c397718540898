import { type Agent, agentsAt, writtenIn } from '#lib/analysis/agents/catalog.ts';
import { exposureOf, holdsMoreThanModelKeys } from '#lib/analysis/agents/exposure.ts';
import { outsideInput } from '#lib/analysis/agents/input.ts';
import { onlyTalks, printsVariables } from '#lib/analysis/agents/tools.ts';
import { secretNamesIn } from '#lib/analysis/privileges/secret-names.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { factOf } from '../shared/shared-facts.ts';
import { usesAgents } from '../shared/when.ts';

type Message = 'widened' | 'bots' | 'named' | 'unchecked';

export const aiAgentUnrestrictedTrigger = defineRule({
  id: 'ai-agent-unrestricted-trigger',
  meta: {
    title: 'Anyone can start the AI agent',
    why: 'Some agent actions reject users without write access unless an input disables that check; other actions, and command-line agents, never check. Whoever starts an agent also instructs it, and it acts with the job’s token, tools and keys.',
    attack:
      'A stranger opens an issue or comments the trigger phrase. The agent starts, follows the text and uses whatever the job holds. At the very least, the stranger spends the model quota.',
    recommendation:
      'Remove the wildcard, or list the few names that need access. For agents without a check of their own, add `if: contains(fromJSON(\'["OWNER", "MEMBER", "COLLABORATOR"]\'), github.event.comment.author_association)`.',
    limits:
      'A check in a script is recognised only when an earlier step queries the API for a role or membership. Checks inside unknown actions are not seen. An agent that gets only the constant prompt of its action, in an empty workspace, is MEDIUM: it costs quota.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/anthropics/claude-code-action/blob/main/docs/security.md',
      'https://github.com/openai/codex-action/blob/main/docs/security.md',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      widened: '{{input}}: {{value}} lets anyone start {{agent}} through {{event}}{{tools}}.',
      bots: '{{input}}: {{value}} lets every bot start {{agent}}, including bots that repeat what strangers write.',
      named: '{{input}} lets {{value}} start {{agent}} without write access.',
      unchecked:
        'Anyone can start {{agent}} through {{event}}{{tools}}: neither the agent nor a condition checks who triggered it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { issues: write, contents: write }
          jobs:
            answer:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: widened MEDIUM
                    allowed_non_write_users: '*'
                    claude_args: --allowedTools mcp__github__get_issue,mcp__github__add_issue_comment
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: widened HIGH
                    allowed_non_write_users: '*'
                    claude_args: --allowedTools mcp__github__add_issue_comment,mcp__github__push_files
        `,
      },
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { issues: write, contents: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: widened
                    allowed_non_write_users: '*'
                    claude_args: --allowedTools Bash,Edit
                - uses: openai/codex-action@v1
                  with:
                    # expect: widened
                    allow-users: "*"
                    prompt: Triage the issue
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: bots
                    allowed_bots: '*'
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: named
                    allowed_non_write_users: octocat,hubot
                # expect: unchecked
                - uses: google-github-actions/run-gemini-cli@v0
                  with: { prompt: Triage }
                # expect: unchecked
                - run: codex exec --sandbox read-only "Triage issue $N"
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/comment.yml': yaml`
            on: { issue_comment: { types: [created] } }
            jobs:
              check:
                runs-on: ubuntu-latest
                steps:
                  - run: gh api "/orgs/acme/members/$AUTHOR" --silent
              answer:
                needs: check
                uses: ./.github/workflows/answer.yml
          `,
          '.github/workflows/answer.yml': yaml`
            on: workflow_call
            jobs:
              answer:
                runs-on: ubuntu-latest
                steps:
                  - run: claude -p "Answer"
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/comment.yml': yaml`
            on: { issue_comment: { types: [created] } }
            jobs:
              answer:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/check
                  - run: claude -p "Answer"
          `,
          '.github/actions/check/action.yml': yaml`
            name: Check
            description: Ends the job of anyone who is no member
            runs:
              using: composite
              steps: [{ run: gh api "/orgs/acme/members/$AUTHOR" --silent, shell: bash }]
          `,
        },
      },
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
            workflow_dispatch:
          jobs:
            members:
              if: contains(fromJSON('["OWNER", "MEMBER"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              steps:
                - uses: google-github-actions/run-gemini-cli@v0
                  with: { prompt: Answer }
            checked:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with: { anthropic_api_key: key, allowed_non_write_users: '' }
                - run: gh api "/orgs/acme/members/$AUTHOR" --silent
                - run: claude -p "Answer"
            manual:
              if: github.event_name == 'workflow_dispatch'
              runs-on: ubuntu-latest
              steps:
                - run: claude -p "Answer"
        `,
      },
      {
        yaml: yaml`
          on:
            issues: { types: [labeled] }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - run: gemini --yolo -p "Triage"
        `,
      },
    ],
  },
  when: usesAgents,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const step of stepsOf(workflow)) {
    for (const agent of agentsAt(step, repository)) {
      const report = judge(agent, repository);
      if (report !== undefined) yield report;
    }
  }
}

function judge(agent: Agent, repository: RuleContext['repository']): Report<Message> | undefined {
  const exposure = exposureOf(agent, repository);
  const event = exposure?.events[0]?.event;
  if (exposure === undefined || event === undefined) return undefined;
  const common = {
    at: agent.step,
    facts: [factOf('agent', agent.step)],
    attributes: { vendor: agent.vendor, tools: agent.tools, access: agent.access },
  };
  const data = { agent: agent.name, event, tools: toolsPhrase(agent) };
  if (agent.access === 'named' && agent.widenedBy !== undefined) {
    const { name: input, text } = agent.widenedBy;
    if (privilegedOutsiderEvents(agent.step, repository).length === 0) return undefined;
    const bots = /\*/.test(text.value) || (input === 'allow-bots' && /true/i.test(text.value));
    return {
      ...common,
      message: bots ? 'bots' : 'named',
      data: { ...data, input, value: text.value },
      span: agent.inner === undefined ? text.span : agent.span,
      severity: bots ? 'LOW' : 'INFO',
    };
  }
  if (!exposure.byOutsider) return undefined;
  const seesText = printsVariables(agent) || outsideInput(agent, exposure.events, repository)?.certain === true;
  const severity = severityOf(agent, seesText);
  if (agent.widenedBy !== undefined) {
    const { name: input, text } = agent.widenedBy;
    return {
      ...common,
      message: 'widened',
      data: { ...data, input, value: text.value },
      span: agent.inner === undefined ? text.span : agent.span,
      severity,
    };
  }
  return { ...common, message: 'unchecked', data, span: agent.span, severity, confidence: 'medium' };
}

function toolsPhrase({ tools }: Agent): string {
  return tools.includes('shell') ? ', with a shell' : tools.length > 0 ? ', with tools that can make changes' : '';
}

function severityOf(agent: Agent, seesText: boolean): Severity {
  const acts = agent.vendor === 'codex' ? agent.tools.includes('shell') : agent.tools.length > 0;
  if (((acts && holdsMoreThanModelKeys(agent) && !onlyTalks(agent)) || hasOwnToken(agent)) && seesText) return 'HIGH';
  // A model that only answers, or a reviewer that only comments, is meant for everyone.
  return agent.vendor === 'model' || agent.vendor === 'other' ? 'LOW' : 'MEDIUM';
}

function hasOwnToken(agent: Agent): boolean {
  const step = writtenIn(agent);
  const tokens = [...(step.with?.entries ?? []), ...(step.env?.entries ?? [])].filter(({ name }) =>
    /^(?:github[_-]token|gh_token|token|pat)$/i.test(name),
  );
  return tokens.some(({ value }) =>
    [...textsBelow(value.node)].some((text) => secretNamesIn(text).some((name) => name !== 'github_token')),
  );
}
