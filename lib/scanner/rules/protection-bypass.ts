import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { placeOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Bypass } from '#lib/facts/settings.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, SHARED } from '../testing/settings-examples.ts';

type Message = 'outsider' | 'automation' | 'people' | 'pull-request';

const WORKFLOWS = 'the app github-actions';

const EVERYTHING = { repository: SHARED, branch: GUARDED_BRANCH };
const ADMINS: Bypass = { kind: 'admins', who: 'administrators', mode: 'always', from: 'branch protection' };
const APP: Bypass = { kind: 'app', who: WORKFLOWS, mode: 'always', from: 'main' };

export const protectionBypass = defineRule({
  id: 'protection-bypass',
  meta: {
    title: 'Branch protection rules can be bypassed',
    why: 'A rule is only as strong as its exemptions. An account, app or key that can bypass it pushes to the branch as if the rule did not exist, and so does an attacker who takes it over.',
    attack:
      'The attacker targets whatever is exempt: an administrator’s session, a deploy key stored as a secret, or the token that a workflow gives to an app.',
    recommendation:
      'Remove exemptions, or limit them to pull requests. Let automation open pull requests instead of pushing. Enable “Do not allow bypassing the above settings” in classic branch protection.',
    limits:
      'How many people a role or team has, and how an app uses its exemption, is not known. Only exemptions from rules of the default branch are checked.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l3'],
    needs: ['settings'],
    settings: ['repository', 'branch', 'bypasses'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository#granting-bypass-permissions-for-your-branch-or-tag-ruleset',
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#do-not-allow-bypassing-the-above-settings',
    ],
    messages: {
      outsider:
        'Every workflow’s token can bypass the rules of {{branch}}, and anyone can start {{job}}, which has a token that can push, through {{event}}.',
      automation: '{{who}} can bypass the rules of {{branch}} ({{from}}).',
      people: 'The rules of {{branch}} do not apply to {{who}} ({{from}}).',
      'pull-request': '{{who}} can merge pull requests into {{branch}} that its rules would reject ({{from}}).',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ ...EVERYTHING, bypasses: [ADMINS] }), settings: ['people'] },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            label:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps: [{ run: make label }]
        `,
        facts: knownSettings({ ...EVERYTHING, bypasses: [APP] }),
        settings: ['outsider'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          ...EVERYTHING,
          bypasses: [
            { kind: 'deploy-keys', who: 'deploy keys', mode: 'always', from: 'main' },
            { kind: 'team', who: 'the team leads', mode: 'pull-request', from: 'main' },
          ],
        }),
        settings: ['automation', 'pull-request'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ ...EVERYTHING, bypasses: [] }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH, bypasses: [ADMINS] }) },
      { yaml: BUILD, facts: knownSettings({ repository: OWN, branch: GUARDED_BRANCH, bypasses: [ADMINS] }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  const bypasses = known(facts, 'bypasses') ?? [];
  if (live === undefined || !(live.branch.pullRequest || live.branch.locked)) return;
  const always = bypasses.filter(({ mode }) => mode === 'always');
  const isMachine = ({ kind }: Bypass): boolean => kind === 'app' || kind === 'deploy-keys';
  const machines = always.filter(isMachine);
  const people = isSoleMaintainer(live.repository) ? [] : always.filter((each) => !isMachine(each));
  const { name: branch } = live.branch;
  if (machines.length > 0) {
    const started = machines.some(({ who }) => who === WORKFLOWS) ? startedByAnybody(repository) : undefined;
    yield {
      message: started === undefined ? 'automation' : 'outsider',
      data: { ...said(machines, branch), job: started?.job ?? '', event: started?.event ?? '' },
      at: { setting: 'bypass of machines' },
      attributes: { who: machines.map(({ who }) => who) },
    };
  }
  if (people.length > 0) {
    yield {
      message: 'people',
      data: said(people, branch),
      at: { setting: 'bypass of people' },
      severity: people.some(({ kind }) => kind === 'admins' || kind === 'role') ? 'MEDIUM' : 'LOW',
      attributes: { who: people.map(({ who }) => who) },
    };
  }
  const inPullRequests = bypasses.filter(({ mode }) => mode === 'pull-request');
  if (inPullRequests.length > 0) {
    yield {
      message: 'pull-request',
      data: said(inPullRequests, branch),
      at: { setting: 'bypass in pull requests' },
      severity: 'INFO',
    };
  }
}

function said(bypasses: readonly Bypass[], branch: string): Record<string, string> {
  const distinct = (values: readonly string[]): string => joinList([...new Set(values)]);
  return {
    branch,
    who: distinct(bypasses.map(({ who }) => who)),
    from: distinct(bypasses.map(({ from }) => from)),
  };
}

function startedByAnybody(repository: Repository): { readonly job: string; readonly event: string } | undefined {
  for (const job of repository.workflows.flatMap(({ jobs }) => jobs)) {
    const [event] = mayPush(job) ? privilegedOutsiderEvents(job, repository) : [];
    if (event !== undefined) return { job: placeOf(job), event: event.event };
  }
  return undefined;
}

function mayPush(job: Job): boolean {
  const { declared, level } = tokenPermissions(job);
  return declared !== undefined && level('contents') === 'write';
}
