import { plural } from '../../messages.ts';
import { Banner } from '../ui/banner.tsx';

interface Props {
  readonly report: {
    readonly findings: number;
    readonly workflow_files: number;
    readonly default_branch: string;
    readonly no_workflows?: true | undefined;
    readonly not_assessed: readonly unknown[];
  };
}

export function Verdict({ report }: Props) {
  const { workflow_files, default_branch, no_workflows, not_assessed } = report;
  if (default_branch === '')
    return (
      <Banner tone="neutral" title="The repository is empty">
        It has no commits, so there is nothing to check.
      </Banner>
    );
  if (no_workflows)
    return (
      <Banner tone="neutral" title="No workflows">
        The default branch has no workflow files in <code>.github/workflows</code>, so there is little to check.
      </Banner>
    );
  const files = plural(workflow_files, { one: 'in 1 workflow file', other: 'in # workflow files' });
  if (not_assessed.length === 0)
    return (
      <Banner tone="ok" title={`No findings ${files}`}>
        Every rule checked every file.
      </Banner>
    );
  return (
    <Banner tone="neutral" title={`No findings ${files} from the rules that ran`}>
      {plural(not_assessed.length, {
        one: '1 check could not run and is listed below: this is not an all-clear for it.',
        other: '# checks could not run and are listed below: this is not an all-clear for them.',
      })}
    </Banner>
  );
}
