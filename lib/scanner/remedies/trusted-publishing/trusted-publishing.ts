import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import type { Report, RuleContext } from '#lib/scanner/engine/rule.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { jobOf } from '#lib/workflow/model/model.ts';
import type { Attempt } from './attempt.ts';
import { cratesIoWithoutToken } from './crates-io.ts';
import { npmWithoutToken } from './npm.ts';
import { pypiWithoutToken } from './pypi.ts';

interface Registry {
  readonly instead: string;
  readonly fix?: (step: Step, job: Job, context: RuleContext) => Attempt;
}

const REGISTRIES: Readonly<Record<string, Registry>> = {
  PyPI: {
    instead:
      'let `pypa/gh-action-pypi-publish` upload without `password`, or run `uv publish --trusted-publishing always`',
    fix: pypiWithoutToken,
  },
  npm: {
    instead: 'use npm 11.5.1 or newer with Node.js 22.14 or newer, and remove `NODE_AUTH_TOKEN` from the step',
    fix: npmWithoutToken,
  },
  'crates.io': {
    instead:
      'add a step `uses: rust-lang/crates-io-auth-action` with `id: auth` before it, and set `CARGO_REGISTRY_TOKEN: ${{ steps.auth.outputs.token }}`',
    fix: cratesIoWithoutToken,
  },
  'RubyGems.org': { instead: 'let `rubygems/release-gem` push the gem, and remove the key from the step' },
  'NuGet.org': {
    instead:
      'add a step `uses: NuGet/login` with `id: login` and your user name before it, and pass `${{ steps.login.outputs.NUGET_API_KEY }}` to `dotnet nuget push` as the key',
  },
};

/** Lets a step publish without a stored token, or advises how. The fix needs review, because it fails until the workflow is registered at the registry. */
export function withoutToken(step: Step, registry: string, context: RuleContext): Pick<Report, 'fix' | 'advice'> {
  const job = jobOf(step);
  const known = REGISTRIES[registry];
  const attempt = job === undefined || known?.fix === undefined ? undefined : tryFix(known.fix, step, job, context);
  if (attempt !== undefined && 'edits' in attempt) return { fix: attempt };
  const why = attempt === undefined ? '' : ` ${attempt.why}`;
  return {
    advice: `First register \`${fileNameOf(step)}\` of this repository as a trusted publisher in the package’s settings at ${registry}. Then give the job ${job?.id ?? 'that calls this action'} \`id-token: write\`, ${known?.instead ?? 'remove the token from the step'}, and delete the token at ${registry}.${why}`,
  };
}

function tryFix(fix: NonNullable<Registry['fix']>, step: Step, job: Job, context: RuleContext): Attempt {
  const reached = outsiderEvents(job, context.repository).find(({ reach }) => reach === 'outsider-privileged');
  return reached === undefined
    ? fix(step, job, context)
    : {
        why: `Outsiders can start this job (\`${reached.event}\`) and would share its identity: publish from another workflow.`,
      };
}

function fileNameOf({ parent }: Step): string {
  return (parent.kind === 'job' ? parent.workflow : parent).source.path.split('/').at(-1) ?? '';
}
