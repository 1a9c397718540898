import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoInRepository } from '../memo.ts';
import { givenInput, type PlacedStep, withInnerSteps } from '../reachability/composites.ts';
import { secretNamesIn } from './secret-names.ts';

const LOGIN_ACTIONS: ReadonlySet<string> = new Set([
  'azure/docker-login',
  'docker/login-action',
  'redhat-actions/podman-login',
]);

const CLIENTS: ReadonlySet<string> = new Set(['buildah', 'crane', 'docker', 'helm', 'oras', 'podman', 'skopeo']);

const USER = /(?:^|_)(?:user|user_?name|login|org|owner|registry|repo(?:sitory)?|host|url|e?mail)$/;

export const registryPasswords = memoInRepository((job: Job, repository): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const placed of withInnerSteps(job.steps, repository)) {
    for (const text of passwordsIn(placed)) {
      for (const name of secretNamesIn(text)) if (name !== 'github_token' && !USER.test(name)) found.add(name);
    }
  }
  return found;
});

function passwordsIn(placed: PlacedStep): Iterable<Text> {
  const { step } = placed;
  if (LOGIN_ACTIONS.has(actionOf(step)?.slug ?? '')) {
    const password = givenInput(placed, 'password');
    return password === undefined ? [] : [password];
  }
  return logsIn(step) ? textsBelow(step.mapping) : [];
}

function logsIn(step: Step): boolean {
  if (step.run?.value.includes('login') !== true) return false;
  return commandsOf(step).some(
    ({ program, args }) => CLIENTS.has(program) && args.slice(0, 2).some(({ value }) => value === 'login'),
  );
}
