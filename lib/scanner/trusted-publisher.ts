import { inputOf } from '../workflow/actions.ts';
import { grantWrite } from '../workflow/grant.ts';
import { mayInsert, removeEntry } from '../workflow/insert.ts';
import { jobOf, type Step } from '../workflow/model.ts';
import { tokenPermissions } from '../workflow/permissions.ts';
import { entryOf } from '../workflow/yaml.ts';
import type { Fix, Report } from './rule.ts';

/** What takes the token's place in a workflow, by the registry's name. */
const WITHOUT_TOKEN: Readonly<Record<string, string>> = {
  PyPI: 'let `pypa/gh-action-pypi-publish` upload without `password`, or run `uv publish --trusted-publishing always`',
  npm: 'use npm 11.5.1 or newer with Node.js 22.14 or newer, and take `NODE_AUTH_TOKEN` out of the step',
  'crates.io':
    'put a step `uses: rust-lang/crates-io-auth-action` with `id: auth` before it, and set `CARGO_REGISTRY_TOKEN: ${{ steps.auth.outputs.token }}`',
  'RubyGems.org': 'let `rubygems/release-gem` push the gem, and take the key out of the step',
  'NuGet.org':
    'put a step `uses: NuGet/login` with `id: login` and your user name before it, and give `dotnet nuget push` the key `${{ steps.login.outputs.NUGET_API_KEY }}`',
};

/**
 * The edit by which a step publishes without a stored token, or how to do it by hand. It fails until the workflow is
 * registered at the registry, so that a person decides about it.
 */
export function withoutToken(step: Step, registry: string): Pick<Report, 'fix' | 'advice'> {
  const fix = fixOf(step);
  if (fix !== undefined) return { fix };
  const file = (step.parent.kind === 'job' ? step.parent.workflow : step.parent).source.path.split('/').at(-1) ?? '';
  const job = jobOf(step)?.id ?? 'that calls this action';
  return {
    advice: `First register \`${file}\` of this repository as a trusted publisher in the package’s settings at ${registry}. Then give the job ${job} \`id-token: write\`, ${WITHOUT_TOKEN[registry] ?? 'take the token out of the step'}, and delete the token at ${registry}.`,
  };
}

/** Of an action that asks for an identity by itself when it is given no password. */
function fixOf(step: Step): Fix | undefined {
  const job = jobOf(step);
  const inputs = entryOf(step.mapping, 'with');
  const reference = step.uses?.reference;
  if (reference?.kind !== 'repository' || reference.slug !== 'pypa/gh-action-pypi-publish') return undefined;
  if (job === undefined || inputs?.value.kind !== 'mapping' || !mayInsert(job.workflow)) return undefined;
  const { entries } = inputs.value;
  const user = inputOf(step, 'user')?.value;
  if (user !== undefined && user !== '__token__') return undefined;
  const { text } = job.workflow.source;
  const gone = ['user', 'password'].flatMap((name) => entries.get(name) ?? []);
  const removed =
    gone.length === entries.size
      ? [removeEntry(step.mapping, inputs, text)]
      : gone.map((entry) => (inputs.value.kind === 'mapping' ? removeEntry(inputs.value, entry, text) : undefined));
  const granted = tokenPermissions(job).level('id-token') === 'write' ? [] : grantWrite(job, ['id-token']);
  const edits = removed.flatMap((edit) => edit ?? []);
  return granted === undefined || edits.length < removed.length || edits.length === 0
    ? undefined
    : { safety: 'review', edits: [...granted, ...edits] };
}
