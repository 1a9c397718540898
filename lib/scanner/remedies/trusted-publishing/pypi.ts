import type { RuleContext } from '#lib/scanner/engine/rule.ts';
import { mayInsert } from '#lib/workflow/edits/keys.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { grantIdentity, registration, removeFrom, WITHOUT_GRANT } from '../publisher-edits.ts';
import type { Attempt } from './attempt.ts';

/** Without a password the action authenticates through OIDC. */
export function pypiWithoutToken(step: Step, job: Job, { repository }: RuleContext): Attempt {
  const inputs = entryOf(step.mapping, 'with')?.value;
  if (actionOf(step)?.slug !== 'pypa/gh-action-pypi-publish') return undefined;
  if (inputs?.kind !== 'mapping' || !mayInsert(job.workflow)) return undefined;
  const user = inputOf(step, 'user')?.value;
  if (user !== undefined && user !== '__token__') return undefined;
  const removed = removeFrom(
    step.mapping,
    'with',
    ['user', 'password'].filter((name) => inputs.entries.has(name)),
  );
  const grant = grantIdentity(job, repository);
  if (removed === undefined) return undefined;
  if (grant === undefined) return { why: WITHOUT_GRANT };
  const registry = /test\.pypi/.test(inputOf(step, 'repository-url')?.value ?? '') ? 'TestPyPI' : 'PyPI';
  return {
    safety: 'review',
    edits: [...grant.edits, ...removed],
    note: `${registration(job, registry)}${grant.note}`,
  };
}
