import { secretsFlowingIn, secretVariables } from '#lib/analysis/dataflow/secret-use.ts';
import { isQuiet } from '#lib/analysis/privileges/foreign-code.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import type { RuleContext } from '#lib/scanner/engine/rule.ts';
import { mayInsert } from '#lib/workflow/edits/keys.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { grantIdentity, registration, removeFrom, WITHOUT_GRANT } from '../publisher-edits.ts';
import type { Attempt } from './attempt.ts';

const TOKEN = /^(?:NODE_AUTH_TOKEN|NPM_TOKEN|NPM_AUTH_TOKEN|NPM_CONFIG__?AUTH_?TOKEN)$/i;

const WITHOUT_LOGIN = /^(?:version|pack|pkg|config|prefix|root|--version|-v)$/;

/** Removes the token from a step that uses it only for `npm publish` to the public registry: https://docs.npmjs.com/trusted-publishers */
export function npmWithoutToken(step: Step, job: Job, { repository }: RuleContext): Attempt {
  const { workflow } = job;
  const env = entryOf(step.mapping, 'env');
  if (step.run === undefined || env?.value.kind !== 'mapping' || !mayInsert(workflow)) return undefined;
  const why = whyNot(step, job);
  if (why !== undefined) return { why };
  const gone = (step.env?.entries ?? []).filter(
    ({ name, value }) => TOKEN.test(name) && secretsFlowingIn(value).length > 0,
  );
  const removed = removeFrom(
    step.mapping,
    'env',
    gone.map(({ name }) => name),
  );
  if (removed === undefined) return undefined;
  const grant = grantIdentity(job, repository);
  if (grant === undefined) return { why: WITHOUT_GRANT };
  const version =
    npmOf(step) === 'unknown'
      ? ' It needs npm 11.5.1 and Node.js 22.14 or newer, which the file does not confirm.'
      : '';
  return {
    safety: 'review',
    edits: [...grant.edits, ...removed],
    note: `${registration(job, 'npm')}${version}${grant.note}`,
  };
}

function whyNot(step: Step, job: Job): string | undefined {
  if (job.workflow.triggers.some(({ event }) => event === 'workflow_call')) {
    return 'Other workflows call this one: npm verifies the calling file, and the caller has to grant `id-token: write`.';
  }
  if (runnerKind(job) !== 'hosted') return 'npm accepts trusted publishing only from GitHub-hosted runners.';
  if (shellOf(step) !== 'posix') return 'Only POSIX shell scripts are analysed.';
  const outer = [job.workflow.env, job.env].flatMap((variables) => variables?.entries ?? []);
  if (outer.some(({ name }) => TOKEN.test(name))) {
    return 'The token is available to more than this step: remove it from the `env` of the job or workflow, too.';
  }
  const variables = secretVariables(step);
  if (
    !commandsOf(step).some(({ program, args }) => program === 'npm' && args.some(({ value }) => value === 'publish'))
  ) {
    return 'Only `npm publish` is changed automatically: check whether this tool supports trusted publishing.';
  }
  const other = commandsOf(step).find((command) => !isWithoutToken(command, variables));
  if (other !== undefined) {
    return `The step also passes the token to \`${nameOf(other)}\`: publish in a separate step first.`;
  }
  return npmOf(step) === 'old'
    ? 'The job sets up a Node.js version whose npm is too old: set up Node.js 24, or run `npm install -g npm@11` with Node.js 22.14 or newer.'
    : undefined;
}

function isWithoutToken(command: ShellCommand, variables: ReadonlyMap<string, string>): boolean {
  const { program, args, redirects } = command;
  const words = [...args, ...redirects.flatMap(({ target, body }) => [target ?? [], body ?? []].flat())];
  if (words.some(({ variables: used }) => used.some((name) => variables.has(name)))) return false;
  if (words.some(({ expressions }) => expressions.some(({ source }) => /\bsecrets\b/i.test(source)))) return false;
  if (program !== 'npm') return isQuiet(command) || program === 'git';
  const verb = args.map(({ value }) => value).find((value) => !value.startsWith('--')) ?? '';
  if (verb === 'publish') return !args.some(({ value }) => /^--(?:otp|registry)\b/.test(value));
  return WITHOUT_LOGIN.test(verb) || newNpm(command) !== undefined;
}

function nameOf({ program, args }: ShellCommand): string {
  return [program, args[0]?.value ?? ''].join(' ').trim().slice(0, 60);
}

type Age = 'new' | 'old' | 'unknown';

function npmOf(step: Step): Age {
  let age: Age = 'unknown';
  let node: Age = 'unknown';
  for (const each of step.parent.steps.slice(0, step.index + 1)) {
    if (actionOf(each)?.slug === 'actions/setup-node') {
      const version = inputOf(each, 'node-version')?.value.trim() ?? '';
      age = bundled(version);
      node = isTooOld(version) ? 'old' : 'new';
    }
    for (const command of commandsOf(each)) {
      const installed = newNpm(command);
      if (installed !== undefined) age = installed && node !== 'old' ? 'new' : 'old';
    }
  }
  return age;
}

function bundled(version: string): Age {
  if (/^(?:node|latest|current|lts\/(?:\*|krypton))$/i.test(version)) return 'new';
  if (/^lts\//i.test(version)) return 'old';
  const [, major, minor] = /^v?(\d+)(?:\.(\d+|x|\*))?(?:\.[\dx*]+)?$/.exec(version) ?? [];
  if (major === undefined) return 'unknown';
  if (Number(major) !== 24) return Number(major) > 24 ? 'new' : 'old';
  return minor === undefined || !/^\d+$/.test(minor) || Number(minor) >= 5 ? 'new' : 'old';
}

/** True before 22.14, the minimum for trusted publishing with npm 11. */
function isTooOld(version: string): boolean {
  const [, major, minor] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (major === undefined) return false;
  return Number(major) < 22 || (Number(major) === 22 && minor !== undefined && Number(minor) < 14);
}

function newNpm({ program, args }: ShellCommand): boolean | undefined {
  const values = args.map(({ value }) => value);
  if (program !== 'npm' || !/^(?:i|install|add)$/.test(values.find((value) => !value.startsWith('-')) ?? '')) {
    return undefined;
  }
  const wanted = values.find((value) => /^npm(?:@|$)/.test(value));
  if (wanted === undefined || !values.some((value) => value === '-g' || value === '--global')) return undefined;
  const [, major, minor, patch] = /@[~^]?v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?$/.exec(wanted) ?? [];
  if (major === undefined) return /^npm(?:@(?:latest|next-11|>=?\s?11\.[5-9].*))?$/.test(wanted);
  const ranged = /@\^/.test(wanted) || minor === undefined || minor === 'x';
  if (Number(major) !== 11 || ranged) return Number(major) >= 11;
  return Number(minor) > 5 || (Number(minor) === 5 && (patch === undefined || patch === 'x' || Number(patch) >= 1));
}
