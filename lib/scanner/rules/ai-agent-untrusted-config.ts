import { type Agent, agentsAt } from '#lib/analysis/agents/catalog.ts';
import { type FolderConfig, folderConfigOf, folderOfAgent, restoresConfig } from '#lib/analysis/agents/config.ts';
import { exposureOf, holdsMoreThanModelKeys } from '#lib/analysis/agents/exposure.ts';
import { checkoutsIn, isGuarded, type OutsiderCheckout, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { workspaceFolder } from '#lib/analysis/checkouts/locations.ts';
import { memoByNode } from '#lib/analysis/memo.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { foreignDownloads } from '#lib/analysis/workspace/artifacts.ts';
import { insertKeys, mayInsert } from '#lib/workflow/edits/keys.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Folder, isWithin } from '#lib/workflow/shell/working-directory.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { usesAgents } from '../shared/when.ts';

type Message = 'checkout' | 'artifact' | 'partly';

export const aiAgentUntrustedConfig = defineRule({
  id: 'ai-agent-untrusted-config',
  meta: {
    title: 'AI agent starts in a directory with untrusted configuration',
    why: 'Agent programs load instructions, settings, hooks and MCP servers from their working directory before any prompt, often without asking. In a pull request’s checkout, the author of the pull request controls those files.',
    attack:
      'A pull request adds instructions, or a settings file with a start-up hook. The agent loads them and runs the hook with the job’s token and keys, whatever tools the prompt allows.',
    recommendation:
      'Check out the base branch at the root and the pull request into `path: pr-head` with `persist-credentials: false`. Start the agent at the root and give it access to the subdirectory (`--add-dir pr-head`).',
    limits:
      'Knows the configuration files of Claude Code, Codex, Copilot, Gemini CLI and opencode. Code that an agent checks out by itself is not tracked. A script that mentions these files together with `rm`, `git checkout` or `cp` counts as restoring them.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/anthropics/claude-code-action/blob/main/docs/security.md',
      'https://docs.claude.com/en/docs/claude-code/hooks',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    ],
    messages: {
      checkout:
        '{{agent}} starts in the pull request code that line {{line}} checks out on {{event}}: {{files}} there {{effect}} before any prompt{{approval}}.',
      artifact:
        '{{agent}} starts in the directory where {{how}} unpacks an artifact built by a fork: {{files}} there {{effect}} before any prompt.',
      partly:
        '{{agent}} starts in the pull request code that line {{line}} checks out on {{event}}. {{files}} are restored first, but the author still controls package scripts, Makefiles and tool settings.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with:
                    ref: \${{ github.event.pull_request.head.sha }}
                # expect: checkout
                - run: claude -p "Review the change" --allowedTools Read
        `,
        fixed: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with:
                    path: pr-head
                    persist-credentials: false
                    ref: \${{ github.event.pull_request.head.sha }}
                # expect: checkout
                - run: claude -p "Review the change" --allowedTools Read
        `,
      },
      {
        yaml: {
          '.github/workflows/review.yml': yaml`
            on:
              pull_request_target:
              workflow_run: { workflows: [Build] }
            jobs:
              action:
                if: github.event_name == 'pull_request_target'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.2.2
                    with: { ref: "refs/pull/\${{ github.event.number }}/head" }
                  # expect: partly
                  - uses: anthropics/claude-code-action@v1
                    with: { prompt: Review, allowed_non_write_users: '*' }
                  # expect: checkout
                  - uses: anthropics/claude-code-action@v1.0.70
                    with: { prompt: Review, allowed_non_write_users: '*' }
                  # expect: checkout
                  - uses: openai/codex-action@v1
                    with: { prompt: Review, allow-users: '*' }
              cleaned:
                if: github.event_name == 'pull_request_target'
                runs-on: ubuntu-latest
                steps:
                  - run: gh pr checkout "$N"
                    env: { N: "\${{ github.event.number }}" }
                  - run: rm -rf .gemini GEMINI.md
                  # expect: partly
                  - run: gemini -p Review
              report:
                if: github.event_name == 'workflow_run'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: diff, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  # expect: artifact
                  - run: gemini -p "Read diff.txt"
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: diff, path: diff.txt }
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            apart:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr-head }
                - run: claude -p "Review pr-head" --add-dir pr-head
            back:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: git diff origin/main > /tmp/change.diff
                - uses: actions/checkout@v4.2.2
                - run: claude -p "Review /tmp/change.diff"
            bare:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: claude --bare -p "Review the change"
                - uses: actions/ai-inference@v2
                  with: { prompt: Review }
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - run: gemini -p "Triage"
            refused:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: gemini -p "Triage"
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: claude -p "Review the change"
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

function judge(agent: Agent, repository: Repository): Report<Message> | undefined {
  const config = folderConfigOf(agent);
  const folder = folderOfAgent(agent);
  const job = jobOf(agent.step);
  if (config === undefined || folder === undefined || job === undefined) return undefined;
  const checkout = checkoutAround(agent.step, folder, job, repository);
  if (checkout !== undefined) return ofCheckout(agent, config, checkout, repository);
  return ofArtifact(agent, config, folder, job, repository);
}

function checkoutAround(step: Step, folder: string, job: Job, repository: Repository): OutsiderCheckout | undefined {
  const covers = (one: { readonly step: Step; readonly folder: Folder }): boolean =>
    one.folder !== undefined && one.step.index < step.index && isWithin(folder, one.folder);
  return outsiderCheckouts(job, repository).find((checkout) => {
    if (!covers(checkout) || isGuarded(checkout)) return false;
    return checkoutsIn(job, checkout, repository).findLast(covers)?.foreign !== undefined;
  });
}

function ofCheckout(
  agent: Agent,
  config: FolderConfig,
  checkout: OutsiderCheckout,
  repository: Repository,
): Report<Message> {
  const { event, step: from } = checkout;
  const partly = restoresConfig(agent, event) || isPutRight(agent.step, from, config);
  const approval = approvalBefore(agent.step, checkout, repository);
  const byMember = approval !== undefined || exposureOf(agent, repository)?.byOutsider !== true;
  return {
    message: partly ? 'partly' : 'checkout',
    data: {
      ...dataOf(agent, config),
      event,
      line: String(sourceOf(agent.step).position(checkout.span.start).line),
      approval: byMember ? ', once a trusted user has started or approved the run' : '',
    },
    at: agent.step,
    span: agent.span,
    severity: partly ? 'LOW' : severityOf(agent, config, byMember),
    fix: moveBelow(checkout),
    attributes: { vendor: agent.vendor, restored: partly, outsider: !byMember, from: 'checkout' },
  };
}

function ofArtifact(
  agent: Agent,
  config: FolderConfig,
  folder: string,
  job: Job,
  repository: Repository,
): Report<Message> | undefined {
  const download = foreignDownloads(job, repository).find(({ step, folder: into, trust }) => {
    const target = workspaceFolder(into);
    return trust === 'fork' && step.index < agent.step.index && target !== undefined && isWithin(folder, target);
  });
  if (download === undefined || isPutRight(agent.step, download.step, config)) return undefined;
  const byMember = exposureOf(agent, repository)?.byOutsider !== true;
  return {
    message: 'artifact',
    data: { ...dataOf(agent, config), how: download.how },
    at: agent.step,
    span: agent.span,
    severity: severityOf(agent, config, byMember),
    confidence: 'medium',
    attributes: { vendor: agent.vendor, restored: false, outsider: !byMember, from: 'artifact' },
  };
}

function dataOf(agent: Agent, { files, runs }: FolderConfig): Record<string, string> {
  const name = agent.command === undefined ? agent.name : agent.name.replace(/^the/, 'The');
  return { agent: name, files, effect: runs ? 'can run commands' : 'can instruct it' };
}

function isPutRight(agent: Step, from: Step, { named }: FolderConfig): boolean {
  const last = lastPutRight(agent.parent, named)[agent.index];
  return last !== undefined && last >= from.index;
}

const putRightByFiles = memoByNode((_parent: Step['parent']) => new Map<RegExp, readonly (number | undefined)[]>());

function lastPutRight(parent: Step['parent'], named: RegExp): readonly (number | undefined)[] {
  const known = putRightByFiles(parent);
  let last = known.get(named);
  if (last === undefined) {
    let index: number | undefined;
    last = parent.steps.map(({ run }, at) => {
      const script = run?.value ?? '';
      if (/\b(?:rm|mv|cp|git (?:checkout|restore|show))\b/.test(script) && named.test(script)) index = at;
      return index;
    });
    known.set(named, last);
  }
  return last;
}

function severityOf(agent: Agent, { runs }: FolderConfig, byMember: boolean): Severity {
  const level =
    2 - (runs || agent.tools.includes('shell') ? 0 : 1) - (byMember ? 1 : 0) - (holdsMoreThanModelKeys(agent) ? 0 : 1);
  return level >= 2 ? 'HIGH' : level === 1 ? 'MEDIUM' : 'LOW';
}

function moveBelow({ step, by, inner }: OutsiderCheckout): Fix | undefined {
  const workflow = jobOf(step)?.workflow;
  if (
    workflow === undefined ||
    by !== 'action' ||
    inner !== undefined ||
    inputOf(step, 'path') !== undefined ||
    !mayInsert(workflow)
  )
    return undefined;
  const inputs = entryOf(step.mapping, 'with')?.value;
  if (inputs?.kind !== 'mapping') return undefined;
  const credentials = inputOf(step, 'persist-credentials') === undefined ? { 'persist-credentials': 'false' } : {};
  const edit = insertKeys(inputs, { path: 'pr-head', ...credentials });
  return edit && { safety: 'review', edits: [edit] };
}
